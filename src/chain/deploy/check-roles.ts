import type { Address } from '../../domain/ids.ts'
import { type Addresses, KEY_OF, rulerOf } from './constructors.ts'
import { compared, type Deployed, type Finding } from './finding.ts'
import { type RoleName, readHolders } from './roles.ts'
import type { LaterHolders, Settings } from './settings.ts'

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

/** Where each of those has its role. */
const laterRoles = ({ lister = [], slasher = [] }: LaterHolders): LaterOf => ({
  WorkerStaking: { SLASHER: slasher },
  ModelRegistry: { LISTER: lister },
})
type LaterOf = Readonly<Partial<Record<Ruled, Partial<Record<RoleName, readonly Address[]>>>>>

/** Every role of every contract, and nobody besides. */
export async function checkRoles(deployed: Deployed): Promise<Finding[]> {
  const { reader, at, settings, deployBlock } = deployed
  const later = laterRoles(deployed.later ?? {})
  const findings: Finding[] = []
  for (const [name, wanted] of Object.entries(askedRoles(settings, at)) as [Ruled, RolesOf][]) {
    const holders = await readHolders(reader, at[KEY_OF[name]], BigInt(deployBlock))
    const added = later[name] ?? {}
    for (const role of new Set([...Object.keys({ ...wanted, ...added }), ...holders.keys()])) {
      const first = wanted[role as RoleName]
      const asked = new Set([...(first ? [first] : []), ...(added[role as RoleName] ?? [])])
      const found = holders.get(role) ?? []
      findings.push(compared(`${name}: who is ${role}`, [...asked].sort(), found))
    }
  }
  return findings
}
