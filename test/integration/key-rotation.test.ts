import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobEscrowAbi } from '../../src/chain/abi.ts'
import { roleId } from '../../src/chain/deploy/role-ids.ts'
import { makeLocalSigner } from '../../src/chain/send/transaction.ts'
import { type Address, toAddress } from '../../src/domain/ids.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../fakes/chain/anvil.ts'
import { LaneOnAnvil } from '../fakes/chain/lane-on-anvil.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { until } from '../until.ts'

/** `src/docs/operating/key-rotation.md`: a lane goes on with another key. */
const Rotation = suite('rotation of a lane key')
const NEW_KEY = `0x${'5a'.repeat(32)}` as const
const FRESH = makeLocalSigner(NEW_KEY)

let local: LocalChain
let house: LaneOnAnvil

Rotation.before(async () => {
  local = await startChain(1_000_000n)
  house = await LaneOnAnvil.start(local, {})
  // The outbox has entries of the old key for the nonces that the new one begins with.
  for (let batch = 0; batch < 3; batch++) await lockSome()
})
Rotation.after(async () => {
  await house?.end()
  await local?.stop()
})

Rotation(
  'the new key works from its own first nonce, beside what the old one has left',
  async () => {
    await rule('grantRole', addressOf(NEW_KEY))
    await local.rpc.call('anvil_setBalance', [addressOf(NEW_KEY), '0xde0b6b3a7640000'])
    await house.end()
    await house.begin(FRESH)
    const hashes = await lockSome()
    assert.is(await senderOf(hashes[0]!), addressOf(NEW_KEY))
  },
)

Rotation(
  'what the old key signed and nobody mined is not waited for: its jobs are locked anew',
  async () => {
    await house.end()
    await house.begin(SIGNERS.lock)
    await local.rpc.call('evm_setAutomine', [false])
    const jobs = house.newJobs(5)
    const before = house.attempts().length
    house.ask(jobs)
    await until('a batch that waits for its block', () => house.attempts().length > before)
    await house.end()
    await rule('revokeRole', addressOf(KEYS.lock))
    await house.begin(FRESH)
    house.ask(jobs)
    await local.rpc.call('evm_setAutomine', [true])
    const hashes = await house.locked(jobs)
    assert.ok([addressOf(NEW_KEY), addressOf(KEYS.lock)].includes(await senderOf(hashes[0]!)))
  },
)

Rotation('after the old key has lost its role, the new one goes on', async () => {
  for (let batch = 0; batch < 3; batch++) {
    const hashes = await lockSome()
    assert.is(await senderOf(hashes[0]!), addressOf(NEW_KEY))
  }
})

Rotation(
  'revoked too early: all waits, the operator is told, and a grant lets it go on',
  async () => {
    await rule('revokeRole', addressOf(NEW_KEY))
    const jobs = house.newJobs(4)
    house.ask(jobs)
    await until('the trouble', () => house.health?.heldUp?.by === 'role')
    await rule('grantRole', addressOf(NEW_KEY))
    await house.locked(jobs)
    await until('well again', () => house.health?.heldUp === null)
  },
)

async function lockSome(): Promise<readonly string[]> {
  const jobs = house.newJobs(4)
  house.ask(jobs)
  return house.locked(jobs)
}

async function senderOf(hash: string): Promise<Address> {
  const found = await local.rpc.call<{ from: string }>('eth_getTransactionByHash', [hash])
  return toAddress(found.from)
}

/** By the escrow's admin. */
async function rule(functionName: 'grantRole' | 'revokeRole', account: Address): Promise<void> {
  const admin = makeWriter(local.rpcUrl, KEYS.deployer)
  const about = { address: local.contracts.jobEscrow, abi: jobEscrowAbi, chain: null } as const
  await admin.writeContract({ ...about, functionName, args: [roleId('LOCKER'), account] })
}

Rotation.run()
