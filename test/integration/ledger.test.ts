import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NO_CREDITS, toCredits } from '../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress, toHex32 } from '../../src/domain/ids.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { LedgerEntry } from '../../src/ports/ledger.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../src/store/connect.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { applyOne } from '../fakes/chain/apply-one.ts'
import { until } from '../until.ts'
import { type Server, startRedis } from './servers.ts'

const test = suite('ledger on a real redis-server')
let server: Server
let store: Store

const at = toUnixMs(1_800_000_000_000)
const newJob = (): JobId => makeJobId(at, systemClock.randomBytes(16))
const newWallet = (): Address =>
  toAddress(`0x${Buffer.from(systemClock.randomBytes(20)).toString('hex')}`)
const prompt = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], sampling: {} }
const reserve = (wallet: Address, jobId: JobId, credits: number, through = store) =>
  through.ledger.reserve({
    wallet,
    jobId,
    credits: toCredits(credits),
    at,
    prompt,
    promptTtlMs: 60_000,
  })
const load = (wallet: Address, credits: number, block = 10) =>
  store.ledger.load(wallet, {
    available: toCredits(credits),
    locked: NO_CREDITS,
    lastTopupAt: at,
    block,
  })
async function remaining(wallet: Address): Promise<number> {
  const balance = await store.ledger.balance(wallet)
  if (balance === 'unknown_wallet') throw new Error('the wallet is unknown')
  return Number(balance.remaining)
}
const entry = (wallet: Address, jobId: JobId, block: number, logIndex: number) => ({
  wallet,
  jobId,
  block,
  logIndex,
})

test.before(async () => {
  server = await startRedis()
  store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
})
test.after(async () => {
  await store.close()
  await server.stop()
})

test('reads: noted until they are proven, or all is forgotten', async () => {
  const read = (block: number, digit: string) => ({
    block,
    blockHash: toHex32(`0x${digit.repeat(64)}`),
  })
  const [one, other, later] = [read(10, 'a'), read(10, 'b'), read(12, 'c')]
  for (const each of [one, other, later, one]) await store.ledger.noteRead(each)
  assert.equal(await store.ledger.reads(9), [])
  assert.equal(await store.ledger.reads(10), [one, other])
  await store.ledger.proven([one])
  assert.equal(await store.ledger.reads(20), [other, later])
  await store.ledger.forget()
  assert.equal(await store.ledger.reads(20), [])
  await store.ledger.proven([])
})

test('reserve: an unknown wallet must be loaded first', async () => {
  const wallet = newWallet()
  assert.equal(await reserve(wallet, newJob(), 8), { type: 'unknown_wallet' })
  await load(wallet, 100)
  assert.equal(await reserve(wallet, newJob(), 8), { type: 'reserved', remaining: 92n })
})

test('reserve: never more than there is, whatever the concurrency', async () => {
  const wallet = newWallet()
  await load(wallet, 100)
  const replies = await Promise.all(Array.from({ length: 50 }, () => reserve(wallet, newJob(), 8)))
  assert.is(replies.filter((reply) => reply.type === 'reserved').length, 12)
  assert.is(await remaining(wallet), 4)
})

test('reserve: 64 at once through two connections never overdraw', async () => {
  const wallet = newWallet()
  await load(wallet, 100)
  const other = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
  const replies = await Promise.all(
    Array.from({ length: 64 }, (_, i) => reserve(wallet, newJob(), 8, i % 2 === 0 ? store : other)),
  )
  await other.close()
  assert.is(replies.filter(({ type }) => type === 'reserved').length, 12)
  const lowest = replies.map((reply) => ('remaining' in reply ? reply.remaining : -1n))
  assert.ok(lowest.every((left) => left >= 0n))
  assert.is(await remaining(wallet), 4)
})

test('reserve: the same job twice sets aside once; release gives back once', async () => {
  const wallet = newWallet()
  const jobId = newJob()
  await load(wallet, 100)
  await reserve(wallet, jobId, 8)
  await reserve(wallet, jobId, 8)
  assert.is(await remaining(wallet), 92)
  await store.ledger.release(wallet, jobId)
  await store.ledger.release(wallet, jobId)
  assert.is(await remaining(wallet), 100)
})

test('account for: what an ended job leaves is on its way back until the chain tells of it', async () => {
  const wallet = newWallet()
  const [paid, other] = [newJob(), newJob()]
  const asked = (credits: number) => reserve(wallet, other, credits)
  await load(wallet, 100)
  await reserve(wallet, paid, 100)
  assert.equal(await asked(8), { type: 'insufficient', remaining: 0n, returning: 0n })
  assert.is(await store.ledger.accountFor(wallet, paid, toCredits(0)), 100n)
  assert.is(await store.ledger.accountFor(wallet, paid, toCredits(8)), 92n, 'the latest counts')
  assert.equal(await asked(8), { type: 'insufficient', remaining: 0n, returning: 92n })
  const at = (block: number) => entry(wallet, paid, block, 0)
  await applyOne(store.ledger, { ...at(11), kind: 'locked', credits: toCredits(100) })
  const during = await store.ledger.balance(wallet)
  assert.ok(during !== 'unknown_wallet')
  assert.equal([during.remaining, during.returning], [0n, 92n], 'also once the lock is seen')
  await applyOne(store.ledger, { ...at(12), kind: 'settled', credits: toCredits(92) })
  const after = await store.ledger.balance(wallet)
  assert.ok(after !== 'unknown_wallet')
  assert.equal([after.remaining, after.returning], [92n, 0n])
  assert.is(await store.ledger.accountFor(wallet, paid, toCredits(8)), 92n, 'told before')
  assert.equal(await asked(93), { type: 'insufficient', remaining: 92n, returning: 0n })
})

test('account for: a wallet with plenty, or a job that leaves nothing, is not noted', async () => {
  const [rich, exact] = [newWallet(), newWallet()]
  const [first, second] = [newJob(), newJob()]
  await load(rich, 30_000)
  await reserve(rich, first, 40)
  assert.is(await store.ledger.accountFor(rich, first, toCredits(8)), 29_992n)
  await load(exact, 8)
  await reserve(exact, second, 8)
  assert.is(await store.ledger.accountFor(exact, second, toCredits(8)), 0n)
  for (const wallet of [rich, exact]) {
    const balance = await store.ledger.balance(wallet)
    assert.ok(balance !== 'unknown_wallet' && balance.returning === 0n)
  }
})

test('apply: lock, settlement, refund and verdict move the balance as the chain did, each once', async () => {
  const wallet = newWallet()
  const [paid, refunded] = [newJob(), newJob()]
  await load(wallet, 100)
  await reserve(wallet, paid, 40)
  await reserve(wallet, refunded, 20)
  const locked = { ...entry(wallet, paid, 11, 0), kind: 'locked' as const, credits: toCredits(40) }
  await applyOne(store.ledger, locked)
  await applyOne(store.ledger, locked)
  assert.is(await remaining(wallet), 40)
  assert.is(await store.ledger.accountFor(wallet, paid, toCredits(9)), 71n)
  await store.ledger.release(wallet, paid) // locked by now: not a reservation any more
  assert.is(await remaining(wallet), 40)
  await applyOne(store.ledger, {
    ...entry(wallet, paid, 12, 0),
    kind: 'settled',
    credits: toCredits(31),
  })
  assert.is(await store.ledger.accountFor(wallet, paid, toCredits(9)), 71n)
  await applyOne(store.ledger, {
    ...entry(wallet, refunded, 12, 1),
    kind: 'locked',
    credits: toCredits(20),
  })
  await applyOne(store.ledger, {
    ...entry(wallet, refunded, 13, 0),
    kind: 'refunded',
    credits: toCredits(20),
  })
  assert.is(await remaining(wallet), 91)
  const upheld = {
    ...entry(wallet, paid, 14, 0),
    kind: 'dispute_resolved' as const,
    credits: toCredits(9),
  }
  await applyOne(store.ledger, upheld)
  await applyOne(store.ledger, upheld)
  assert.is(await remaining(wallet), 100)
})

test('apply: what is withdrawn or set aside can not be spent, what is taken back can', async () => {
  const wallet = newWallet()
  await load(wallet, 100)
  const move = (kind: LedgerEntry['kind'], credits: number, logIndex: number) =>
    applyOne(store.ledger, { wallet, block: 11, logIndex, kind, credits: toCredits(credits) })
  await move('withdrawn', 10, 0)
  await move('withdrawn', 10, 0)
  assert.is(await remaining(wallet), 90)
  await move('thawing_started', 60, 1)
  assert.is(await remaining(wallet), 30)
  assert.equal(await reserve(wallet, newJob(), 31), {
    type: 'insufficient',
    remaining: 30n,
    returning: 0n,
  })
  await move('thawing_cancelled', 60, 2)
  assert.is(await remaining(wallet), 90)
})

test('apply: a withdrawal of credits that are reserved leaves nothing to spend', async () => {
  const wallet = newWallet()
  const jobId = newJob()
  await load(wallet, 100)
  await reserve(wallet, jobId, 80)
  const thawing = { wallet, block: 11, logIndex: 0, kind: 'thawing_started' as const }
  await applyOne(store.ledger, { ...thawing, credits: toCredits(100) })
  assert.is(await remaining(wallet), 0)
  const refused = { type: 'insufficient', remaining: 0n, returning: 0n }
  assert.equal(await reserve(wallet, newJob(), 1), refused)
  // The chain refuses the lock, and the reservation goes back.
  await store.ledger.release(wallet, jobId)
  assert.is(await remaining(wallet), 0)
})

test('apply: tells how the wallet stands, and whether the log was new', async () => {
  const wallet = newWallet()
  const [jobId, open] = [newJob(), newJob()]
  const bought = { wallet, block: 11, logIndex: 0, kind: 'deposited' as const, at }
  assert.is(await applyOne(store.ledger, { ...bought, credits: toCredits(5) }), 'unknown_wallet')
  await store.ledger.load(wallet, {
    ...{ available: toCredits(100), locked: toCredits(20), lastTopupAt: at, block: 11 },
  })
  await reserve(wallet, open, 10)
  const standing = (isNew: boolean, remaining: bigint, owned: bigint) => ({
    ...{ isNew, remaining, owned },
  })
  const locked = { ...entry(wallet, jobId, 12, 0), kind: 'locked' as const, credits: toCredits(40) }
  assert.equal(await applyOne(store.ledger, locked), standing(true, 50n, 120n))
  const settled = {
    ...entry(wallet, jobId, 12, 1),
    kind: 'settled' as const,
    ...{ credits: toCredits(32), charged: toCredits(8) },
  }
  assert.equal(await applyOne(store.ledger, settled), standing(true, 82n, 112n))
  assert.equal(await applyOne(store.ledger, locked), standing(false, 82n, 112n))
  const refunded = { ...entry(wallet, newJob(), 13, 0), kind: 'refunded' as const }
  const back = await applyOne(store.ledger, { ...refunded, credits: toCredits(20) })
  assert.equal(back, standing(true, 102n, 112n))
})

test('apply: several logs at once are what one after the other is, and those that came before are told', async () => {
  const wallet = newWallet()
  const [first, second] = [newJob(), newJob()]
  await load(wallet, 100)
  await reserve(wallet, first, 40)
  const locked = (jobId: JobId, logIndex: number) => ({
    ...{ ...entry(wallet, jobId, 11, logIndex), kind: 'locked' as const, credits: toCredits(40) },
  })
  const settled = {
    ...{ ...entry(wallet, first, 12, 0), kind: 'settled' as const },
    ...{ credits: toCredits(33), charged: toCredits(7) },
  }
  const standings = (...each: readonly (readonly [boolean, bigint, bigint])[]) =>
    each.map(([isNew, remaining, owned]) => ({ isNew, remaining, owned }))
  const logs = [locked(first, 0), locked(second, 1), settled]
  assert.equal(
    await store.ledger.apply(logs.slice(0, 2)),
    standings([true, 60n, 100n], [true, 20n, 100n]),
  )
  assert.equal(
    await store.ledger.apply(logs),
    standings([false, 20n, 100n], [false, 20n, 100n], [true, 53n, 93n]),
  )
  assert.is(await remaining(wallet), 53)
  assert.is(await store.ledger.apply([{ ...settled, wallet: newWallet() }]), 'unknown_wallet')
})

test('load: loses to a log of a later block, so no log is missed', async () => {
  const wallet = newWallet()
  const deposit = {
    wallet,
    block: 20,
    logIndex: 0,
    kind: 'deposited' as const,
    credits: toCredits(5),
    at,
  }
  await applyOne(store.ledger, deposit)
  assert.is(await load(wallet, 100, 19), 'stale')
  assert.is(await load(wallet, 105, 20), 'loaded')
  await applyOne(store.ledger, deposit)
  assert.is(await remaining(wallet), 105)
})

test('load: loses to the latest log, also where an earlier one was applied again after it', async () => {
  const wallet = newWallet()
  const deposit = (block: number, logIndex = 0) => ({
    ...{ wallet, block, logIndex, kind: 'deposited' as const },
    ...{ credits: toCredits(5), at },
  })
  await applyOne(store.ledger, deposit(20, 1))
  await applyOne(store.ledger, deposit(20, 0))
  await applyOne(store.ledger, deposit(18))
  assert.is(await load(wallet, 100, 19), 'stale')
  assert.is(await load(wallet, 100, 20), 'loaded')
})

test('prompt: kept with the reservation, gone when dropped', async () => {
  const wallet = newWallet()
  const jobId = newJob()
  await load(wallet, 100)
  await reserve(wallet, jobId, 8)
  assert.equal(await store.outputs.prompt(wallet, jobId), prompt)
  await store.outputs.deletePrompt(wallet, jobId)
  assert.is(await store.outputs.prompt(wallet, jobId), undefined)
})

test('openReservations: those not locked yet, and no refused ones', async () => {
  const wallet = newWallet()
  const [open, locked, refused] = [newJob(), newJob(), newJob()]
  await load(wallet, 100)
  await reserve(wallet, open, 8)
  await reserve(wallet, locked, 8)
  await reserve(wallet, refused, 1_000)
  await applyOne(store.ledger, {
    ...entry(wallet, locked, 30, 0),
    kind: 'locked',
    credits: toCredits(8),
  })
  const found = await store.ledger.openReservations(toUnixMs(at + 1), 10_000)
  const jobs = found.filter((each) => each.wallet === wallet).map((each) => each.jobId)
  assert.equal(jobs, [open])
})

test('a flush makes every wallet unknown instead of wrong', async () => {
  const wallet = newWallet()
  await load(wallet, 100)
  const admin = new Redis(server.url)
  await admin.flushall()
  admin.disconnect()
  assert.is(await store.ledger.balance(wallet), 'unknown_wallet')
})

test('a restart of Redis, which may have lost its last writes, makes wallets unknown', async () => {
  const wallet = newWallet()
  await load(wallet, 100)
  await server.crash()
  await until('redis to be back', () => store.ping())
  assert.is(await store.ledger.balance(wallet), 'unknown_wallet')
  await load(wallet, 60)
  assert.is(await remaining(wallet), 60)
})

test.run()
