import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import type { LedgerEntry } from '../../../src/ports/ledger.ts'
import { applyOne } from '../../fakes/chain/apply-one.ts'
import { at, entry, LedgerStage, newJob, newWallet } from './ledger-stage.ts'

const test = suite('ledger: logs of the chain')
const stage = new LedgerStage()
test.before(() => stage.open())
test.after(() => stage.close())

test('apply: lock, settlement, refund and verdict move the balance as the chain did, each once', async () => {
  const wallet = newWallet()
  const [paid, refunded] = [newJob(), newJob()]
  await stage.load(wallet, 100)
  await stage.reserve(wallet, paid, 40)
  await stage.reserve(wallet, refunded, 20)
  const locked = { ...entry(wallet, paid, 11, 0), kind: 'locked' as const, credits: toCredits(40) }
  await applyOne(stage.store.ledger, locked)
  await applyOne(stage.store.ledger, locked)
  assert.is(await stage.remaining(wallet), 40)
  assert.is(await stage.store.ledger.accountFor(wallet, paid, toCredits(9)), 71n)
  await stage.store.ledger.release(wallet, paid) // locked by now: not a reservation any more
  assert.is(await stage.remaining(wallet), 40)
  await applyOne(stage.store.ledger, {
    ...entry(wallet, paid, 12, 0),
    kind: 'settled',
    credits: toCredits(31),
  })
  assert.is(await stage.store.ledger.accountFor(wallet, paid, toCredits(9)), 71n)
  await applyOne(stage.store.ledger, {
    ...entry(wallet, refunded, 12, 1),
    kind: 'locked',
    credits: toCredits(20),
  })
  await applyOne(stage.store.ledger, {
    ...entry(wallet, refunded, 13, 0),
    kind: 'refunded',
    credits: toCredits(20),
  })
  assert.is(await stage.remaining(wallet), 91)
  const upheld = {
    ...entry(wallet, paid, 14, 0),
    kind: 'dispute_resolved' as const,
    credits: toCredits(9),
  }
  await applyOne(stage.store.ledger, upheld)
  await applyOne(stage.store.ledger, upheld)
  assert.is(await stage.remaining(wallet), 100)
})

test('apply: what is withdrawn or set aside can not be spent, what is taken back can', async () => {
  const wallet = newWallet()
  await stage.load(wallet, 100)
  const move = (kind: LedgerEntry['kind'], credits: number, logIndex: number) =>
    applyOne(stage.store.ledger, { wallet, block: 11, logIndex, kind, credits: toCredits(credits) })
  await move('withdrawn', 10, 0)
  await move('withdrawn', 10, 0)
  assert.is(await stage.remaining(wallet), 90)
  await move('thawing_started', 60, 1)
  assert.is(await stage.remaining(wallet), 30)
  assert.equal(await stage.reserve(wallet, newJob(), 31), {
    type: 'insufficient',
    remaining: 30n,
    returning: 0n,
  })
  await move('thawing_cancelled', 60, 2)
  assert.is(await stage.remaining(wallet), 90)
})

test('apply: a withdrawal of credits that are reserved leaves nothing to spend', async () => {
  const wallet = newWallet()
  const jobId = newJob()
  await stage.load(wallet, 100)
  await stage.reserve(wallet, jobId, 80)
  const thawing = { wallet, block: 11, logIndex: 0, kind: 'thawing_started' as const }
  await applyOne(stage.store.ledger, { ...thawing, credits: toCredits(100) })
  assert.is(await stage.remaining(wallet), 0)
  const refused = { type: 'insufficient', remaining: 0n, returning: 0n }
  assert.equal(await stage.reserve(wallet, newJob(), 1), refused)
  // The chain refuses the lock, and the reservation goes back.
  await stage.store.ledger.release(wallet, jobId)
  assert.is(await stage.remaining(wallet), 0)
})

test('apply: tells how the wallet stands, and whether the log was new', async () => {
  const wallet = newWallet()
  const [jobId, open] = [newJob(), newJob()]
  const bought = { wallet, block: 11, logIndex: 0, kind: 'deposited' as const, at }
  assert.is(
    await applyOne(stage.store.ledger, { ...bought, credits: toCredits(5) }),
    'unknown_wallet',
  )
  await stage.store.ledger.load(wallet, {
    ...{ available: toCredits(100), locked: toCredits(20), lastTopupAt: at, block: 11 },
  })
  await stage.reserve(wallet, open, 10)
  const standing = (isNew: boolean, remaining: bigint, owned: bigint) => ({
    ...{ isNew, remaining, owned },
  })
  const locked = { ...entry(wallet, jobId, 12, 0), kind: 'locked' as const, credits: toCredits(40) }
  assert.equal(await applyOne(stage.store.ledger, locked), standing(true, 50n, 120n))
  const settled = {
    ...entry(wallet, jobId, 12, 1),
    kind: 'settled' as const,
    ...{ credits: toCredits(32), charged: toCredits(8) },
  }
  assert.equal(await applyOne(stage.store.ledger, settled), standing(true, 82n, 112n))
  assert.equal(await applyOne(stage.store.ledger, locked), standing(false, 82n, 112n))
  const refunded = { ...entry(wallet, newJob(), 13, 0), kind: 'refunded' as const }
  const back = await applyOne(stage.store.ledger, { ...refunded, credits: toCredits(20) })
  assert.equal(back, standing(true, 102n, 112n))
})

test('apply: what comes to a wallet, or leaves it, changes what it owns; what is in locks stays there', async () => {
  const wallet = newWallet()
  const read = { available: toCredits(100), locked: toCredits(20), lastTopupAt: at, block: 10 }
  await stage.store.ledger.load(wallet, read)
  let logIndex = 0
  const move = async (kind: LedgerEntry['kind'], credits: number, jobId?: JobId) => {
    const place = { wallet, block: 11, logIndex: logIndex++, at }
    const log = { ...place, kind, credits: toCredits(credits), ...(jobId ? { jobId } : {}) }
    const standing = await applyOne(stage.store.ledger, log)
    assert.ok(standing !== 'unknown_wallet')
    return [standing.remaining, standing.owned]
  }
  assert.equal(await move('deposited', 30), [130n, 150n])
  assert.equal(await move('withdrawn', 10), [120n, 140n])
  assert.equal(await move('thawing_started', 60), [60n, 80n])
  assert.equal(await move('thawing_cancelled', 60), [120n, 140n])
  assert.equal(await move('dispute_resolved', 8, newJob()), [128n, 148n])
})

test('apply: several logs at once are what one after the other is, and those that came before are told', async () => {
  const wallet = newWallet()
  const [first, second] = [newJob(), newJob()]
  await stage.load(wallet, 100)
  await stage.reserve(wallet, first, 40)
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
    await stage.store.ledger.apply(logs.slice(0, 2)),
    standings([true, 60n, 100n], [true, 20n, 100n]),
  )
  assert.equal(
    await stage.store.ledger.apply(logs),
    standings([false, 20n, 100n], [false, 20n, 100n], [true, 53n, 93n]),
  )
  assert.is(await stage.remaining(wallet), 53)
  assert.is(await stage.store.ledger.apply([{ ...settled, wallet: newWallet() }]), 'unknown_wallet')
})

test('apply: what is told of only as settled is reserved no longer', async () => {
  const wallet = newWallet()
  const jobId = newJob()
  // The wallet was read in a block that a reorg has replaced, by one that holds the lock.
  await stage.load(wallet, 100, 20)
  await stage.reserve(wallet, jobId, 40)
  const at = { ...entry(wallet, jobId, 20, 0), kind: 'locked' as const }
  await applyOne(stage.store.ledger, { ...at, credits: toCredits(40) })
  await applyOne(stage.store.ledger, {
    ...{ ...entry(wallet, jobId, 21, 0), kind: 'settled' as const },
    ...{ credits: toCredits(32), charged: toCredits(8) },
  })
  // As the chain had it before the lock, until the watcher sees the reorg; and nothing is kept back.
  assert.is(await stage.remaining(wallet), 132)
})

test.run()
