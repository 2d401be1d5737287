import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRoles } from '../../../src/chain/deploy/check-roles.ts'
import { chooseSettings } from '../../../src/chain/deploy/choose.ts'
import type { Addresses } from '../../../src/chain/deploy/constructors.ts'
import type { Reader } from '../../../src/chain/deploy/deployer.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import type { LaterHolders } from '../../../src/chain/deploy/settings.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'

/** What the contracts have said about roles, against who was named. */
const Roles = suite('deployment: who holds which role')

const at = (digits: string) => toAddress(`0x${digits.repeat(20)}`)
const ADDRESSES: Addresses = {
  ...{ rCompute: at('c1'), governor: at('c2'), timelock: at('c3'), workerStaking: at('c4') },
  ...{ usdg: at('c5'), jobEscrow: at('c6'), modelRegistry: at('c7') },
}
const SETTINGS = chooseSettings({
  ...{ token: at('01'), treasury: at('02'), locker: at('03'), settler: at('04') },
  ...{ withdrawalSigner: at('05'), pauser: at('06'), arbiter: at('07') },
})
const [LISTER, SLASHER] = [at('a1'), at('a2')]

interface Grant {
  readonly of: Address
  readonly role: 'LISTER' | 'SLASHER'
  readonly to: Address
}
/** A node whose contracts have said nothing but this. */
const nodeWith = (grants: readonly Grant[]) =>
  ({
    getBlockNumber: async () => 9n,
    getLogs: async ({ address }: { readonly address: Address }) =>
      grants
        .filter(({ of }) => of === address)
        .map(({ role, to }) => ({
          eventName: 'RoleGranted',
          args: { role: roleId(role), account: to, sender: ADDRESSES.timelock },
        })),
  }) as unknown as Reader

async function heldBy(grants: readonly Grant[], later?: LaterHolders) {
  const findings = await checkRoles({
    ...{ reader: nodeWith(grants), at: ADDRESSES, settings: SETTINGS, chainId: 7, deployBlock: 1 },
    ...(later && { later }),
  })
  const of = (what: string) => findings.find((finding) => finding.what === what)
  return {
    lister: of('ModelRegistry: who is LISTER'),
    slasher: of('WorkerStaking: who is SLASHER'),
  }
}

const ESCROW: Grant = { of: ADDRESSES.workerStaking, role: 'SLASHER', to: ADDRESSES.jobEscrow }
const BY_VOTE: readonly Grant[] = [
  ESCROW,
  { of: ADDRESSES.workerStaking, role: 'SLASHER', to: SLASHER },
  { of: ADDRESSES.modelRegistry, role: 'LISTER', to: LISTER },
]

Roles('whoever was named by a vote differs until it is said that this was meant', async () => {
  const unsaid = await heldBy(BY_VOTE)
  assert.equal([unsaid.lister?.holds, unsaid.slasher?.holds], [false, false])
  assert.is(unsaid.lister?.asked, 'nobody')

  const said = await heldBy(BY_VOTE, { lister: [LISTER], slasher: [SLASHER] })
  assert.equal([said.lister?.holds, said.slasher?.holds], [true, true])
})

Roles('one of two that was not named still differs', async () => {
  const other = { of: ADDRESSES.modelRegistry, role: 'LISTER', to: at('bb') } as const
  const { lister } = await heldBy([...BY_VOTE, other], { lister: [LISTER], slasher: [SLASHER] })
  assert.is(lister?.holds, false)
  assert.match(lister?.found ?? '', /bb/)
})

Roles(
  'whoever was named and holds nothing differs, and so does an escrow that lost its role',
  async () => {
    const none = await heldBy([ESCROW], { lister: [LISTER], slasher: [SLASHER] })
    assert.equal([none.lister?.holds, none.lister?.found], [false, 'nobody'])
    assert.is(none.slasher?.holds, false)

    const without = await heldBy(BY_VOTE.slice(1), { slasher: [SLASHER] })
    assert.is(without.slasher?.holds, false)
  },
)

Roles.run()
