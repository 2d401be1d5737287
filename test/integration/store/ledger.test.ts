import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { applyOne } from '../../fakes/chain/apply-one.ts'
import { until } from '../../until.ts'
import { at, entry, LedgerStage, newJob, newWallet } from './ledger-stage.ts'

const test = suite('ledger on a real redis-server')
const stage = new LedgerStage()
test.before(() => stage.open())
test.after(() => stage.close())

test('reads: noted until they are proven, or all is forgotten', async () => {
  const read = (block: number, digit: string) => ({
    block,
    blockHash: toHex32(`0x${digit.repeat(64)}`),
  })
  const [one, other, later] = [read(10, 'a'), read(10, 'b'), read(12, 'c')]
  for (const each of [one, other, later, one]) await stage.store.ledger.noteRead(each)
  assert.equal(await stage.store.ledger.reads(9), [])
  assert.equal(await stage.store.ledger.reads(10), [one, other])
  await stage.store.ledger.proven([one])
  assert.equal(await stage.store.ledger.reads(20), [other, later])
  await stage.store.ledger.forget()
  assert.equal(await stage.store.ledger.reads(20), [])
  await stage.store.ledger.proven([])
})

test('reserve: an unknown wallet must be loaded first', async () => {
  const wallet = newWallet()
  assert.equal(await stage.reserve(wallet, newJob(), 8), { type: 'unknown_wallet' })
  await stage.load(wallet, 100)
  assert.equal(await stage.reserve(wallet, newJob(), 8), { type: 'reserved', remaining: 92n })
})

test('reserve: never more than there is, whatever the concurrency', async () => {
  const wallet = newWallet()
  await stage.load(wallet, 100)
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => stage.reserve(wallet, newJob(), 8)),
  )
  assert.is(replies.filter((reply) => reply.type === 'reserved').length, 12)
  assert.is(await stage.remaining(wallet), 4)
})

test('reserve: 64 at once through two connections never overdraw', async () => {
  const wallet = newWallet()
  await stage.load(wallet, 100)
  const other = await stage.connect()
  const replies = await Promise.all(
    Array.from({ length: 64 }, (_, i) =>
      stage.reserve(wallet, newJob(), 8, i % 2 === 0 ? stage.store : other),
    ),
  )
  await other.close()
  assert.is(replies.filter(({ type }) => type === 'reserved').length, 12)
  const lowest = replies.map((reply) => ('remaining' in reply ? reply.remaining : -1n))
  assert.ok(lowest.every((left) => left >= 0n))
  assert.is(await stage.remaining(wallet), 4)
})

test('reserve: the same job twice sets aside once; release gives back once', async () => {
  const wallet = newWallet()
  const jobId = newJob()
  await stage.load(wallet, 100)
  await stage.reserve(wallet, jobId, 8)
  await stage.reserve(wallet, jobId, 8)
  assert.is(await stage.remaining(wallet), 92)
  await stage.store.ledger.release(wallet, jobId)
  await stage.store.ledger.release(wallet, jobId)
  assert.is(await stage.remaining(wallet), 100)
})

test('what was reserved before the wallet was forgotten gives nothing back after it is read anew', async () => {
  const [wallet, lateLock] = [newWallet(), newWallet()]
  const [jobId, locked] = [newJob(), newJob()]
  for (const each of [wallet, lateLock]) await stage.load(each, 100)
  await stage.reserve(wallet, jobId, 8)
  await stage.reserve(lateLock, locked, 8)
  await stage.store.ledger.forget()
  for (const each of [wallet, lateLock]) {
    await stage.load(each, 100, 12)
    assert.is(await stage.remaining(each), 100)
  }
  await stage.store.ledger.release(wallet, jobId)
  assert.is(await stage.remaining(wallet), 100)
  const lock = { kind: 'locked', credits: toCredits(8) } as const
  await applyOne(stage.store.ledger, { ...entry(lateLock, locked, 13, 0), ...lock })
  assert.is(await stage.remaining(lateLock), 92)
})

test('account for: what an ended job leaves is on its way back until the chain tells of it', async () => {
  const wallet = newWallet()
  const [paid, other] = [newJob(), newJob()]
  const asked = (credits: number) => stage.reserve(wallet, other, credits)
  await stage.load(wallet, 100)
  await stage.reserve(wallet, paid, 100)
  assert.equal(await asked(8), { type: 'insufficient', remaining: 0n, returning: 0n })
  assert.is(await stage.store.ledger.accountFor(wallet, paid, toCredits(0)), 100n)
  assert.is(
    await stage.store.ledger.accountFor(wallet, paid, toCredits(8)),
    92n,
    'the latest counts',
  )
  assert.equal(await asked(8), { type: 'insufficient', remaining: 0n, returning: 92n })
  const at = (block: number) => entry(wallet, paid, block, 0)
  await applyOne(stage.store.ledger, { ...at(11), kind: 'locked', credits: toCredits(100) })
  const during = await stage.store.ledger.balance(wallet)
  assert.ok(during !== 'unknown_wallet')
  assert.equal([during.remaining, during.returning], [0n, 92n], 'also once the lock is seen')
  await applyOne(stage.store.ledger, { ...at(12), kind: 'settled', credits: toCredits(92) })
  const after = await stage.store.ledger.balance(wallet)
  assert.ok(after !== 'unknown_wallet')
  assert.equal([after.remaining, after.returning], [92n, 0n])
  assert.is(await stage.store.ledger.accountFor(wallet, paid, toCredits(8)), 92n, 'told before')
  assert.equal(await asked(93), { type: 'insufficient', remaining: 92n, returning: 0n })
})

test('account for: what several jobs leave is on its way back together, each until the chain tells of it', async () => {
  const wallet = newWallet()
  const [first, second, third] = [newJob(), newJob(), newJob()]
  const returning = async () => {
    const balance = await stage.store.ledger.balance(wallet)
    assert.ok(balance !== 'unknown_wallet')
    return balance.returning
  }
  await stage.load(wallet, 100)
  for (const job of [first, second, third]) await stage.reserve(wallet, job, 30)
  await stage.store.ledger.accountFor(wallet, first, toCredits(10))
  await stage.store.ledger.accountFor(wallet, second, toCredits(5))
  await stage.store.ledger.accountFor(wallet, third, toCredits(0))
  assert.is(await returning(), 75n)
  await stage.store.ledger.accountFor(wallet, second, toCredits(20))
  assert.is(await returning(), 60n)
  await stage.store.ledger.release(wallet, third)
  assert.is(await returning(), 30n)
  const told = { ...entry(wallet, first, 12, 0), credits: toCredits(20), charged: toCredits(10) }
  await applyOne(stage.store.ledger, { ...told, kind: 'settled' })
  assert.is(await returning(), 10n)
})

test('account for: a job of which nothing comes back after all is noted no more', async () => {
  const wallet = newWallet()
  const [goesOn, other] = [newJob(), newJob()]
  const { ledger } = stage.store
  const returning = async () => {
    const reply = await stage.reserve(wallet, newJob(), 100)
    assert.ok(reply.type === 'insufficient')
    return reply.returning
  }
  await stage.load(wallet, 100)
  for (const job of [goesOn, other]) {
    await stage.reserve(wallet, job, 50)
    await ledger.accountFor(wallet, job, toCredits(0))
  }
  assert.is(await returning(), 100n)
  assert.is(await ledger.accountFor(wallet, goesOn, toCredits(50)), 0n)
  assert.is(await returning(), 50n)
  assert.is(await ledger.accountFor(wallet, other, toCredits(50)), 0n)
  assert.is(await returning(), 0n)
})

test('account for: however many jobs of a wallet have just ended, each step looks at a hundred of them', async () => {
  const wallet = newWallet()
  const { ledger } = stage.store
  const redis = new Redis(stage.server.url)
  const commands = async () => {
    const calls = (await redis.info('commandstats')).matchAll(/calls=(\d+)/g)
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  await stage.load(wallet, 2_000)
  for (let hundred = 0; hundred < 10; hundred++) {
    const jobs = Array.from({ length: 100 }, newJob)
    await Promise.all(jobs.map((job) => stage.reserve(wallet, job, 2)))
    await Promise.all(jobs.map((job) => ledger.accountFor(wallet, job, toCredits(1))))
  }
  const before = await commands()
  const balance = await ledger.balance(wallet)
  const took = (await commands()) - before
  await redis.quit()
  assert.ok(took < 150, `Redis ran ${took} commands, and everybody waits for it`)
  assert.ok(balance !== 'unknown_wallet' && balance.returning >= 50n && balance.returning < 250n)
})

test('account for: a wallet with plenty, or a job that leaves nothing, is not noted', async () => {
  const [rich, exact] = [newWallet(), newWallet()]
  const [first, second] = [newJob(), newJob()]
  await stage.load(rich, 30_000)
  await stage.reserve(rich, first, 40)
  assert.is(await stage.store.ledger.accountFor(rich, first, toCredits(8)), 29_992n)
  await stage.load(exact, 8)
  await stage.reserve(exact, second, 8)
  assert.is(await stage.store.ledger.accountFor(exact, second, toCredits(8)), 0n)
  for (const wallet of [rich, exact]) {
    const balance = await stage.store.ledger.balance(wallet)
    assert.ok(balance !== 'unknown_wallet' && balance.returning === 0n)
  }
})

test('account for: of an unknown wallet nobody says what is left', async () => {
  const [wallet, jobId] = [newWallet(), newJob()]
  const accountFor = () => stage.store.ledger.accountFor(wallet, jobId, toCredits(8))
  assert.is(await accountFor(), 'unknown_wallet')
  await stage.load(wallet, 100)
  assert.is(await accountFor(), 100n)
})

test('balance: tells when credits were bought last', async () => {
  const wallet = newWallet()
  const lastTopupAt = async () => {
    const balance = await stage.store.ledger.balance(wallet)
    assert.ok(balance !== 'unknown_wallet')
    return balance.lastTopupAt
  }
  const read = { available: toCredits(10), locked: toCredits(0), block: 10 }
  await stage.store.ledger.load(wallet, { ...read, lastTopupAt: null })
  assert.is(await lastTopupAt(), null)
  const bought = { wallet, block: 11, logIndex: 0, kind: 'deposited' as const }
  await applyOne(stage.store.ledger, { ...bought, credits: toCredits(5), at: toUnixMs(at + 7) })
  assert.is(await lastTopupAt(), at + 7)
  const back = { wallet, block: 11, logIndex: 1, kind: 'thawing_cancelled' as const }
  await applyOne(stage.store.ledger, { ...back, credits: toCredits(5) })
  assert.is(await lastTopupAt(), at + 7, 'what comes back was not bought')
  const other = newWallet()
  await stage.load(other, 10)
  const loaded = await stage.store.ledger.balance(other)
  assert.is(loaded !== 'unknown_wallet' && loaded.lastTopupAt, at)
})

test('load: of a wallet that is known changes nothing, and what is set aside stays so', async () => {
  const wallet = newWallet()
  await stage.load(wallet, 100)
  await stage.reserve(wallet, newJob(), 40)
  assert.is(await stage.load(wallet, 100), 'loaded')
  assert.is(await stage.load(wallet, 100, 12), 'loaded')
  assert.is(await stage.remaining(wallet), 60)
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
  await applyOne(stage.store.ledger, deposit)
  assert.is(await stage.load(wallet, 100, 19), 'stale')
  assert.is(await stage.load(wallet, 105, 20), 'loaded')
  await applyOne(stage.store.ledger, deposit)
  assert.is(await stage.remaining(wallet), 105)
})

test('load: loses to the latest log, also where an earlier one was applied again after it', async () => {
  const wallet = newWallet()
  const deposit = (block: number, logIndex = 0) => ({
    ...{ wallet, block, logIndex, kind: 'deposited' as const },
    ...{ credits: toCredits(5), at },
  })
  await applyOne(stage.store.ledger, deposit(20, 1))
  await applyOne(stage.store.ledger, deposit(20, 0))
  await applyOne(stage.store.ledger, deposit(18))
  assert.is(await stage.load(wallet, 100, 19), 'stale')
  assert.is(await stage.load(wallet, 100, 20), 'loaded')
})

test('held: those whose credits the balance lacks, reserved or locked', async () => {
  const wallet = newWallet()
  const [open, locked, refused, released] = [newJob(), newJob(), newJob(), newJob()]
  const jobs = [open, locked, refused, released]
  assert.equal(await stage.store.ledger.held(wallet, jobs), [])
  await stage.load(wallet, 100)
  for (const job of [open, locked, released]) await stage.reserve(wallet, job, 8)
  await stage.reserve(wallet, refused, 1_000)
  await stage.store.ledger.release(wallet, released)
  const lock = { ...entry(wallet, locked, 30, 0), kind: 'locked' as const, credits: toCredits(8) }
  await applyOne(stage.store.ledger, lock)
  assert.equal(await stage.store.ledger.held(wallet, jobs), [open, locked])
  assert.equal(await stage.store.ledger.held(wallet, []), [])
})

test('openReservations: those not locked yet, and no refused ones', async () => {
  const wallet = newWallet()
  const [open, locked, refused] = [newJob(), newJob(), newJob()]
  await stage.load(wallet, 100)
  await stage.reserve(wallet, open, 8)
  await stage.reserve(wallet, locked, 8)
  await stage.reserve(wallet, refused, 1_000)
  await applyOne(stage.store.ledger, {
    ...entry(wallet, locked, 30, 0),
    kind: 'locked',
    credits: toCredits(8),
  })
  const found = await stage.store.ledger.openReservations(toUnixMs(at + 1), 10_000)
  const jobs = found.filter((each) => each.wallet === wallet).map((each) => each.jobId)
  assert.equal(jobs, [open])
  const [oldest, second] = found
  const page = await stage.store.ledger.openReservations(toUnixMs(at + 1), 1)
  const next = await stage.store.ledger.openReservations(toUnixMs(at + 1), 1, 1)
  assert.equal([page, next], [[oldest], second ? [second] : []])
})

test('a Redis that is full takes nothing of a reservation, and all of a release', async () => {
  const wallet = newWallet()
  const [before, refused] = [newJob(), newJob()]
  await stage.load(wallet, 100)
  await stage.reserve(wallet, before, 8)
  const admin = new Redis(stage.server.url)
  await admin.config('SET', 'maxmemory', '1')
  try {
    const told = await stage.reserve(wallet, refused, 8).catch(({ message }: Error) => message)
    assert.match(told as string, /^OOM/)
    await stage.store.ledger.release(wallet, before)
  } finally {
    await admin.config('SET', 'maxmemory', '0')
    admin.disconnect()
  }
  assert.is(await stage.remaining(wallet), 100)
  const open = await stage.store.ledger.openReservations(toUnixMs(at + 1), 10_000)
  assert.equal(
    open.filter((each) => each.wallet === wallet),
    [],
  )
})

test('a flush makes every wallet unknown instead of wrong', async () => {
  const wallet = newWallet()
  await stage.load(wallet, 100)
  const admin = new Redis(stage.server.url)
  await admin.flushall()
  admin.disconnect()
  assert.is(await stage.store.ledger.balance(wallet), 'unknown_wallet')
})

test('a restart of Redis, which may have lost its last writes, makes wallets unknown', async () => {
  const wallet = newWallet()
  await stage.load(wallet, 100, 30)
  await stage.server.crash()
  await until('redis to be back', () => stage.store.ping())
  assert.is(await stage.store.ledger.balance(wallet), 'unknown_wallet')
  // A log of it that comes first does not make it known as it was.
  const bought = { wallet, block: 18, logIndex: 0, kind: 'deposited' as const, at }
  const told = await applyOne(stage.store.ledger, { ...bought, credits: toCredits(5) })
  assert.is(told, 'unknown_wallet')
  assert.is(await stage.store.ledger.balance(wallet), 'unknown_wallet')
  // What was known before says nothing of how far the chain is now.
  assert.is(await stage.load(wallet, 60, 20), 'loaded')
  assert.is(await stage.remaining(wallet), 60)
})

test.run()
