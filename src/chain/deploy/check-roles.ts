import { type Addresses, KEY_OF, rulerOf } from './constructors.ts'
import { compared, type Deployed, type Finding } from './finding.ts'
import { type RoleName, readHolders } from './roles.ts'
import type { Settings } from './settings.ts'

type Ruled = 'JobEscrow' | 'WorkerStaking' | 'ModelRegistry' | 'TimelockController'
type RolesOf = Readonly<Partial<Record<RoleName, string>>>

/** A role that is held by the zero address is everybody's. */
export const ANYONE = `0x${'00'.repeat(20)}`

/** Who is to hold which role, each by one holder. A role that is not named is held by nobody. */
export function askedRoles(settings: Settings, at: Addresses): Readonly<Record<Ruled, RolesOf>> {
  const governance = rulerOf(settings.governance, at)
  return {
    JobEscrow: {
      ...{ ADMIN: rulerOf(settings.admin, at), LOCKER: settings.locker },
      ...{ SETTLER: settings.settler, ARBITER: settings.arbiter, PAUSER: settings.pauser },
      WITHDRAWAL_SIGNER: settings.withdrawalSigner,
    },
    WorkerStaking: { ADMIN: governance, SLASHER: at.jobEscrow },
    ModelRegistry: { ADMIN: governance },
    TimelockController: {
      ...{ ADMIN: at.timelock, PROPOSER: at.governor, CANCELLER: at.governor },
      EXECUTOR: ANYONE,
    },
  }
}

/** Every role of every contract, and nobody besides. */
export async function checkRoles(deployed: Deployed): Promise<Finding[]> {
  const { reader, at, settings, deployBlock } = deployed
  const findings: Finding[] = []
  for (const [name, wanted] of Object.entries(askedRoles(settings, at)) as [Ruled, RolesOf][]) {
    const holders = await readHolders(reader, at[KEY_OF[name]], BigInt(deployBlock))
    for (const role of new Set([...Object.keys(wanted), ...holders.keys()])) {
      const asked = wanted[role as RoleName]
      const found = holders.get(role) ?? []
      findings.push(compared(`${name}: who is ${role}`, asked === undefined ? [] : [asked], found))
    }
  }
  return findings
}
