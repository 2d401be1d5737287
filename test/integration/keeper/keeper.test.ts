import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { JOB_STATUSES } from '../../../src/chain/abi.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { DepositAddressReply } from '../../../src/messages/keeper.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { addressOf, KEYS, SETTINGS } from '../../fakes/chain/anvil.ts'
import { settle } from '../../fakes/chain/intents.ts'
import { type KeeperHouse, openKeeperHouse, PAYEE, WALLET } from '../../fakes/chain/keeper-house.ts'
import { until } from '../../until.ts'

const EXPIRED_SECONDS = 180 + 60
const TREASURY = SETTINGS.treasury as Address
const HOLD_SECONDS = 2 * 600
const DAY_SECONDS = 24 * 60 * 60
/** Several turns of the keeper. */
const A_WHILE_MS = 1_500
const anyone = (n: number) => addressOf(`0x${n.toString(16).padStart(64, '7')}`)

let house: KeeperHouse

const statusOf = async (jobId: JobId) => JOB_STATUSES[await house.operator.statusOf(jobId)]
const becomes = (jobId: JobId, status: (typeof JOB_STATUSES)[number]) =>
  until(`${jobId} to be ${status}`, async () => (await statusOf(jobId)) === status)
async function stays(jobId: JobId, status: (typeof JOB_STATUSES)[number]): Promise<void> {
  await sleep(A_WHILE_MS)
  assert.is(await statusOf(jobId), status)
}
async function lockedJob(credits = 8): Promise<JobId> {
  const [jobId] = house.newJobs(1) as [JobId]
  await house.operator.lock([jobId], WALLET, credits)
  return jobId
}
async function settledJob(outputTokens = 20, credits = 8): Promise<JobId> {
  const jobId = await lockedJob(credits)
  await house.operator.settle([jobId], outputTokens)
  return jobId
}
const tokensOf = (address: Address) => house.as(KEYS.worker).balanceOf(address)

const Keeper = suite('keeper on a real chain')

Keeper.before(async () => {
  house = await openKeeperHouse()
  await house.giveCoin()
})
Keeper.after.each(() => house.rest())
Keeper.after(() => house?.stop())

Keeper('a lock that outlived its job is given back, and not a second before its time', async () => {
  await house.keep()
  const before = await house.operator.available(WALLET)
  const jobId = await lockedJob()
  await house.elapse(EXPIRED_SECONDS - 20)
  await stays(jobId, 'Locked')
  await house.elapse(20)
  await becomes(jobId, 'Refunded')
  assert.is(await house.operator.available(WALLET), before)
})

Keeper('locks that were settled or refunded are left alone', async () => {
  const settled = await settledJob()
  const refunded = await lockedJob()
  await house.operator.refund([refunded])
  await house.keep()
  await house.elapse(EXPIRED_SECONDS)
  await stays(settled, 'Settled')
  assert.is(await statusOf(refunded), 'Refunded')
})

Keeper('a job that waits for its settlement keeps its lock for two hours', async () => {
  const jobId = await lockedJob()
  const { completion, signature } = settle(jobId)
  const proved = { proof: { ...completion, signature }, workerId: 1 }
  const settling = { type: 'accepted', view: { status: 'settling' }, ending: null, ...proved }
  house.jobs.set(jobId, settling as never)
  await house.keep()
  await house.elapse(EXPIRED_SECONDS + 60)
  await stays(jobId, 'Locked')
  await house.elapse(2 * 3_600)
  await becomes(jobId, 'Refunded')
})

Keeper('killed before its time came, a keeper goes on where it was', async () => {
  const [early, late] = [await lockedJob(), await lockedJob()]
  await house.keep()
  await until('a checkpoint', async () => (await checkpoint()) !== undefined)
  await house.rest()
  const last = await lockedJob()
  await house.operator.settle([late])
  await house.elapse(EXPIRED_SECONDS)
  await house.keep()
  await becomes(early, 'Refunded')
  await becomes(last, 'Refunded')
  assert.is(await statusOf(late), 'Settled')
})

Keeper('without its checkpoint it reads the chain from the deployment on', async () => {
  const jobId = await lockedJob()
  await house.registries.cursors.delete('keeper')
  await house.elapse(EXPIRED_SECONDS)
  await house.keep()
  await becomes(jobId, 'Refunded')
})

Keeper('a dispute that nobody decides ends after a day, and its share is paid out', async () => {
  const jobId = await settledJob()
  await house.operator.dispute([jobId])
  await house.keep()
  await house.elapse(DAY_SECONDS - 60)
  await stays(jobId, 'Disputed')
  await house.elapse(120)
  await becomes(jobId, 'Rejected')
})

Keeper('earnings reach payee and treasury after the hold, from 100 credits on', async () => {
  await house.rest()
  await house.keep()
  // Whatever was earned before is a day old, so that it is paid however little it is.
  await until('old earnings to be paid', async () => (await tokensOf(PAYEE)) > 0n)
  const before = await tokensOf(PAYEE)
  const ofTreasury = await tokensOf(TREASURY)
  // 8 credits and 4 a thousand tokens above 500: 808, of which a worker gets three quarters.
  await settledJob(200_500, 808)
  await house.elapse(HOLD_SECONDS / 2)
  await sleep(A_WHILE_MS)
  assert.is(await tokensOf(PAYEE), before)
  await house.rest()
  await house.elapse(HOLD_SECONDS)
  await house.keep()
  await until('the payee to be paid', async () => {
    return (await tokensOf(PAYEE)) >= before + 6_060_000n
  })
  await until('the treasury to be paid', async () => {
    return (await tokensOf(TREASURY)) >= ofTreasury + 2_020_000n
  })
})

Keeper('little is claimed once a day', async () => {
  await settledJob()
  await house.elapse(HOLD_SECONDS)
  const before = await tokensOf(PAYEE)
  await house.keep()
  await sleep(A_WHILE_MS)
  assert.is(await tokensOf(PAYEE), before)
  await house.rest()
  await house.elapse(DAY_SECONDS)
  await house.keep()
  await until('the payee to be paid', async () => (await tokensOf(PAYEE)) > before)
})

Keeper('tokens at a deposit address become credits', async () => {
  const wallet = anyone(1)
  const at = await house.operator.depositAddress(wallet)
  const payer = house.as(KEYS.worker)
  await house.know(wallet)
  await house.keep()
  await payer.mintTo(at, 990_000n)
  await sleep(A_WHILE_MS)
  assert.is(await house.operator.available(wallet), 0n, '99 credits wait')
  await payer.mintTo(at, 15_000n)
  await arrives(wallet, 100n)
  assert.is(await tokensOf(at), 5_000n, 'less than a credit waits for the next time')
  await payer.mintTo(at, 1_000_000n)
  await arrives(wallet, 200n)
})

Keeper('what arrived before its address was watched is found', async () => {
  const [watched, later] = [anyone(2), anyone(3)]
  const payer = house.as(KEYS.worker)
  for (const wallet of [watched, later]) {
    await payer.mintTo(await house.operator.depositAddress(wallet), 1_500_000n)
  }
  await house.know(watched)
  await house.keep()
  await arrives(watched, 150n)
  const answer = await askAddress(later)
  assert.is(answer.address, await house.operator.depositAddress(later))
  assert.is(answer.pendingCredits, 150n)
  assert.is(answer.minimumCredits, 100n)
  await arrives(later, 150n)
  await until('nothing to wait there', async () => {
    return (await askAddress(later)).pendingCredits === 0n
  })
})

Keeper('while deposits are paused nothing is tried in haste, and then all is swept', async () => {
  const wallet = anyone(4)
  const locked = await lockedJob()
  await house.know(wallet)
  await house.keep()
  const pauser = house.as(KEYS.pauser)
  await pauser.pause()
  await house.as(KEYS.worker).mintTo(await house.operator.depositAddress(wallet), 1_000_000n)
  await sleep(A_WHILE_MS)
  assert.is(await house.operator.available(wallet), 0n)
  await house.elapse(EXPIRED_SECONDS)
  await becomes(locked, 'Refunded')
  await pauser.unpause()
  await arrives(wallet, 100n)
})

Keeper('an empty purse stops it, and filling it is all that is needed', async () => {
  const jobId = await lockedJob()
  await house.takeCoin()
  await house.keep()
  await house.elapse(EXPIRED_SECONDS)
  await stays(jobId, 'Locked')
  await house.giveCoin()
  await becomes(jobId, 'Refunded')
})

Keeper('a reorg of three blocks undoes what the keeper had seen, and it sees anew', async () => {
  const settledThenNot = await lockedJob()
  await house.keep()
  const { rpc } = house.local
  const before = await rpc.call('evm_snapshot', [])
  await house.operator.settle([settledThenNot])
  const settledIn = Number(await rpc.call<string>('eth_blockNumber', []))
  await house.elapse(1)
  await house.elapse(1)
  await seen(settledIn)
  // The settlement and all after it are gone, and in their place comes something else.
  await rpc.call('evm_revert', [before])
  assert.is(await statusOf(settledThenNot), 'Locked')
  await house.elapse(EXPIRED_SECONDS)
  await becomes(settledThenNot, 'Refunded')
})

Keeper('a sweep that always reverts keeps no other from its money', async () => {
  const [frozen, free] = [anyone(5), anyone(6)]
  const payer = house.as(KEYS.worker)
  await house.know(frozen)
  await house.know(free)
  // A wallet whose account is full by the escrow's own limit: its sweep can not succeed.
  await payer.mintTo(await house.operator.depositAddress(frozen), 2n ** 47n * 10_000n)
  await house.keep()
  await sleep(A_WHILE_MS)
  await payer.mintTo(await house.operator.depositAddress(free), 1_000_000n)
  await arrives(free, 100n)
  assert.is(await house.operator.available(frozen), 0n)
})

Keeper('a transaction that gets into no block is replaced for a higher fee', async () => {
  const jobId = await lockedJob()
  await house.elapse(EXPIRED_SECONDS)
  const { rpc } = house.local
  await rpc.call('evm_setAutomine', [false])
  await house.keep()
  const fees = new Set<string>()
  await until('a second offer', async () => {
    const { pending } = await rpc.call<TxPool>('txpool_content', [])
    for (const one of Object.values(Object.values(pending)[0] ?? {})) fees.add(one.maxFeePerGas)
    return fees.size > 1
  })
  await rpc.call('evm_setAutomine', [true])
  await rpc.call('evm_mine', [])
  await becomes(jobId, 'Refunded')
})

Keeper("two keepers at once are in each other's way, and no harm", async () => {
  const jobs = house.newJobs(6)
  const before = await house.operator.available(WALLET)
  await house.operator.lock(jobs, WALLET)
  await house.elapse(EXPIRED_SECONDS)
  await house.keep()
  await house.keep()
  for (const jobId of jobs) await becomes(jobId, 'Refunded')
  assert.is(await house.operator.available(WALLET), before)
})

interface TxPool {
  readonly pending: Record<string, Record<string, { readonly maxFeePerGas: string }>>
}
const checkpoint = () => house.registries.cursors.get('keeper')
/** The keeper has taken all up to this block, and written it down. */
const seen = (block: number) =>
  until(`a checkpoint at block ${block}`, async () => {
    const { trail = [] } = ((await checkpoint())?.value ?? {}) as { trail?: { block: number }[] }
    return (trail.at(-1)?.block ?? -1) >= block
  })
const arrives = (wallet: Address, credits: bigint) =>
  until(`${credits} credits to arrive`, async () => {
    return (await house.operator.available(wallet)) === credits
  })
async function askAddress(wallet: Address) {
  const reply = await house.nats.bus.request<DepositAddressReply>(
    SUBJECTS.depositAddress,
    { wallet },
    5_000,
  )
  if (reply.type !== 'deposit_address') throw new Error(reply.reason)
  return reply
}

Keeper.run()
