import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChainBooks, type EscrowEvent, unbalanced } from '../../../src/audit/books/chain-books.ts'
import { compare, type Service } from '../../../src/audit/books/compare.ts'
import { nameOf } from '../../../src/audit/books/difference.ts'
import { lookTwice } from '../../../src/audit/books/look-twice.ts'
import { price, workerShare } from '../../../src/audit/books/rules.ts'
import { mayBecome, type Told } from '../../../src/audit/books/told.ts'
import { jobKey } from '../../../src/audit/chain/abi.ts'

/** The auditor's own arithmetic and judgement, without a server. */
const Books = suite('books')

const WALLET = `0x${'1'.repeat(40)}` as const
const HASH = `0x${'c'.repeat(64)}` as const
const ID = 'job_1'
const tx = (digit: string) => `0x${digit.repeat(64)}` as const

type Args<Name> = Extract<EscrowEvent, { eventName: Name }>['args']
let index = 0
function event<Name extends EscrowEvent['eventName']>(
  eventName: Name,
  hash: string,
  args: Omit<Args<Name>, 'jobId' | 'wallet'>,
): EscrowEvent {
  const place = { blockNumber: 1n, logIndex: index++, transactionHash: tx(hash) }
  const all = { jobId: jobKey(ID), wallet: WALLET, ...args }
  return { eventName, args: all, ...place } as unknown as EscrowEvent
}

const deposited = () => event('Deposited', '0', { payer: WALLET, credits: 100n })
const locked = () => event('JobLocked', 'a', { credits: 20, tier: 1 })
const settledWith = (other: Partial<Args<'JobSettled'>> = {}) =>
  event('JobSettled', 'b', {
    ...{ workerId: 7, outputHash: HASH, outputTokens: 60 },
    ...{ creditsCharged: 8, creditsReturned: 12, workerUnits: 60_000n, treasuryUnits: 20_000n },
    ...other,
  })
const refunded = (credits = 20) => event('JobRefunded', 'd', { credits })
const disputed = () => event('JobDisputed', 'e', { workerId: 7, claimedHash: tx('9') })
const decided = (upheld: boolean, creditsReturned = upheld ? 8 : 0) =>
  event('DisputeResolved', 'f', { workerId: 7, upheld, creditsReturned })

function enter(...events: EscrowEvent[]): ChainBooks {
  const books = new ChainBooks()
  for (const each of events) books.enter(each)
  return books
}
const flaws = (books: ChainBooks): string[] =>
  [...books.differences, ...unbalanced(books)].map(nameOf)

Books('a settled job: charge to worker and treasury, the rest to the wallet', () => {
  const books = enter(deposited(), locked(), settledWith())
  assert.equal(flaws(books), [])
  const { steps: _, ...wallet } = books.wallets.get(WALLET)!
  const nothing = { locked: 0n, thawing: 0n, withdrawn: 0n }
  assert.equal(wallet, { deposited: 100n, available: 92n, charged: 8n, ...nothing })
  assert.equal([books.shares.earned.get(7), books.shares.treasury], [60_000n, 20_000n])
})

Books('a refund: all that was locked is the wallet’s again', () => {
  const books = enter(deposited(), locked(), refunded())
  assert.equal(flaws(books), [])
  const { available, locked: left } = books.wallets.get(WALLET)!
  assert.equal([available, left], [100n, 0n])
})

Books('a charge of the whole lock: nothing is locked any more, though nothing came back', () => {
  const lock = event('JobLocked', 'a', { credits: 8, tier: 1 })
  const books = enter(deposited(), lock, settledWith({ creditsReturned: 0 }))
  assert.equal(flaws(books), [])
  const { available, locked: left } = books.standingAt(WALLET, { block: 2, index: 0 })
  assert.equal([available, left], [92n, 0n])
})

Books('a dispute: held, then back to the wallet or to who earned it', () => {
  const open = enter(deposited(), locked(), settledWith(), disputed())
  assert.equal(
    [open.shares.earned.get(7), open.shares.treasury, open.shares.contested],
    [0n, 0n, 80_000n],
  )
  const upheld = enter(deposited(), locked(), settledWith(), disputed(), decided(true))
  assert.equal([upheld.shares.contested, upheld.wallets.get(WALLET)?.available], [0n, 100n])
  assert.equal([upheld.shares.earned.get(7), upheld.shares.treasury], [0n, 0n])
  const rejected = enter(deposited(), locked(), settledWith(), disputed(), decided(false))
  assert.equal([rejected.shares.contested, rejected.shares.earned.get(7)], [0n, 60_000n])
  for (const books of [open, upheld, rejected]) assert.equal(flaws(books), [])
})

Books('what may not happen on chain: each is named', () => {
  const cases: [EscrowEvent[], RegExp][] = [
    [[locked(), locked()], /job_1: was locked twice/],
    [[locked(), settledWith(), settledWith()], /was settled on chain, but is settled/],
    [[locked(), refunded(), settledWith()], /was settled on chain, but is refunded/],
    [[settledWith()], /was settled on chain, but is never locked/],
    [[locked(), refunded(19)], /its refund is 19, but the events make 20/],
    [[locked(), settledWith({ outputTokens: 501 })], /its charge is 8, but the events make 9/],
    [[locked(), settledWith({ creditsReturned: 11 })], /charge and return is 19/],
    [[locked(), settledWith({ treasuryUnits: 1n })], /both shares is 60001/],
    [[locked(), settledWith({ workerUnits: 1n })], /1 units, which is neither 75 nor 85 %/],
    [[locked(), settledWith(), decided(true)], /was decided on chain, but is settled/],
    [[locked(), settledWith(), disputed(), decided(true, 7)], /its verdict returned is 7/],
  ]
  for (const [events, said] of cases)
    assert.match(flaws(enter(deposited(), ...events)).join('\n'), said)
})

Books('a wallet that spends what it never had: named', () => {
  assert.match(flaws(enter(locked())).join(), /available is -20 by the events/)
})

Books('the price: flat up to 500 tokens, then each credit that was begun', () => {
  const found = [0n, 500n, 501n, 750n, 751n, 1_500n].map((tokens) => price(1, tokens))
  assert.equal(found, [8n, 8n, 9n, 9n, 10n, 12n])
  assert.is(price(4, 1n), undefined)
  assert.equal([workerShare(9n, false), workerShare(9n, true)], [67_500n, 76_500n])
})

const told: Told = {
  ...{ source: 'journal', jobId: ID, version: 5, status: 'settled', wallet: WALLET, locked: 20n },
  ...{ charged: 8n, outputHash: HASH, settlementTx: tx('b'), refundTx: null },
}
const nothingPaid = { charged: 0n, outputHash: null, settlementTx: null }
const service = (record: Told | undefined, other: Partial<Service> = {}): Service => ({
  ...{ journal: new Map(record ? [[ID, record]] : []), archive: new Map(), views: new Map() },
  ...{ isComplete: false, wallets: [], differences: [] },
  ...other,
})
const differences = (books: ChainBooks, given: Service): string[] =>
  compare(books, given).map(nameOf)
/** But that the ledger has not come to the end. */
const exactly = (names: string[]) => names.filter((name) => !name.includes('the ledger reaches'))
const settledBooks = () => enter(deposited(), locked(), settledWith())

Books('a record that tells what happened: no difference', () => {
  const running = { ...told, ...nothingPaid }
  const cases: [EscrowEvent[], Partial<Told>][] = [
    [[locked()], { ...running, status: 'processing' }],
    [[locked()], { ...running, status: 'settling' }],
    [[locked(), settledWith()], told],
    [[locked(), refunded()], { ...running, status: 'failed', refundTx: tx('d') }],
    [[locked(), settledWith(), disputed()], { ...told, status: 'disputed' }],
    [[locked(), settledWith(), disputed(), decided(false)], told],
    [
      [locked(), settledWith(), disputed(), decided(true)],
      { ...told, status: 'upheld', charged: 0n, refundTx: tx('f') },
    ],
    [[], { ...running, status: 'failed' }],
    [[], { ...running, status: 'pending' }],
  ]
  for (const [events, record] of cases) {
    assert.equal(differences(enter(deposited(), ...events), service({ ...told, ...record })), [])
  }
})

Books('a record that tells something else: the job, and both sides', () => {
  const cases: [Partial<Told>, RegExp][] = [
    [{ charged: 9n }, /job_1: the journal says charged 9, the chain 8/],
    [{ settlementTx: tx('8') }, /says settled in 0x8+, the chain 0xb+/],
    [{ outputHash: tx('8') }, /says an answer of hash 0x8+/],
    [{ locked: 19n }, /19 credits are locked, not 20/],
    [{ wallet: `0x${'7'.repeat(40)}` }, /says it is of 0x7+, not 0x1+/],
    [{ status: 'failed' }, /says failed; on chain it is settled/],
    [{ status: 'processing' }, /says processing; on chain it is settled/],
    [{ status: 'upheld' }, /says its dispute was upheld; on chain it is settled/],
  ]
  for (const [wrong, said] of cases) {
    assert.match(differences(settledBooks(), service({ ...told, ...wrong })).join('\n'), said)
  }
  const unpaid = { ...told, ...nothingPaid, status: 'refunded', refundTx: tx('d') } as const
  assert.match(
    differences(enter(), service(unpaid)).join(),
    /says a refund in 0xd+; on chain it is/,
  )
})

Books('credits that are locked for a job which nobody runs: named', () => {
  const books = enter(deposited(), locked())
  assert.match(differences(books, service(undefined)).join(), /but to the journal it is unknown/)
  const dead = { ...told, ...nothingPaid, status: 'failed' } as const
  assert.match(differences(books, service(dead)).join('\n'), /but to the journal it is failed/)
})

Books('a job on chain that the service has forgotten: named, unless it was put away', () => {
  const books = settledBooks()
  assert.match(differences(books, service(undefined)).join(), /in neither journal nor archive/)
  const archive = new Map([[ID, { ...told, source: 'archive' } as const]])
  assert.equal(differences(books, service(undefined, { archive })), [])
})

Books('views: missing or old ones count once they are held for complete', () => {
  const views = new Map([[ID, { ...told, source: 'view', version: 4 } as const]])
  assert.equal(differences(settledBooks(), service(told, { views })), [])
  const complete = { isComplete: true }
  assert.match(differences(settledBooks(), service(told, complete)).join(), /but in no view/)
  const old = differences(settledBooks(), service(told, { views, ...complete })).join()
  assert.match(old, /record 5 of the journal, but in a view of record 4/)
})

Books('a ledger is held against the chain at its own position', () => {
  const books = settledBooks()
  const after = books.wallets.get(WALLET)!.steps
  const wallet = { wallet: WALLET, reserved: 0n, holds: [] }
  for (const step of after) {
    const right = { ...wallet, ...step }
    const exact = (given: typeof right) =>
      exactly(differences(books, service(told, { wallets: [given] })))
    assert.equal(exact(right), [])
    for (const name of ['available', 'locked'] as const) {
      const off = { ...right, [name]: right[name] + 1n }
      const [found = '', ...more] = exact(off)
      assert.match(found, /but the events make/)
      assert.equal(more, [])
    }
  }
})

Books('a ledger that has passed over what happened to its wallet last: named', () => {
  const books = settledBooks()
  const steps = books.wallets.get(WALLET)!.steps
  const found = (step: (typeof steps)[number]) => {
    const wallet = { ...step, wallet: WALLET, reserved: 0n, holds: [] }
    return differences(books, service(told, { wallets: [wallet] }))
  }
  const [first, second, last] = steps
  assert.equal(found(last!), [])
  const place = (step = last!) => `block 1, log ${step.at.index}`
  assert.equal(found(first!), [
    `${WALLET}: the ledger reaches ${place(first)}, the chain moved its credits in ${place(second)}`,
  ])
})

Books('a hold for a job that is over, or never was: named', () => {
  const books = settledBooks()
  const last = books.wallets.get(WALLET)!.steps.at(-1)!
  const holds = (kind: 'reserved' | 'locked') => ({
    ...{ ...last, wallet: WALLET, reserved: kind === 'reserved' ? 20n : 0n },
    holds: [{ for: ID, kind, credits: 20n }],
  })
  for (const kind of ['reserved', 'locked'] as const) {
    const found = differences(books, service(told, { wallets: [holds(kind)] }))
    assert.match(found.join(), `job_1: the ledger has 20 credits ${kind}`)
  }
})

Books('a lock of the ledger is held against the chain at the position of the ledger', () => {
  const events = [deposited(), locked(), settledWith()]
  const [, lockedAt, endedAt] = events.map(({ logIndex }) => logIndex)
  const books = enter(...events)
  const found = (index: number) => {
    const at = { block: 1, index }
    const holds = [{ for: ID, kind: 'locked', credits: 20n } as const]
    const wallet = { ...books.standingAt(WALLET, at), wallet: WALLET, at, reserved: 0n, holds }
    return exactly(differences(books, service(told, { wallets: [wallet] })))
  }
  assert.equal(found(lockedAt!), [])
  for (const index of [lockedAt! - 1, endedAt!]) {
    assert.match(found(index).join(), 'job_1: the ledger has 20 credits locked, the chain nothing')
  }
})

Books('what the ledger has reserved is what its live jobs make, and no more', () => {
  const books = enter(deposited())
  const [last] = books.wallets.get(WALLET)!.steps
  const record = { ...told, ...nothingPaid, status: 'pending' } as const
  const found = (reserved: bigint) => {
    const holds = [{ for: ID, kind: 'reserved', credits: 20n } as const]
    const wallet = { ...last!, wallet: WALLET, reserved, holds }
    return differences(books, service(record, { wallets: [wallet] }))
  }
  assert.equal(found(20n), [])
  assert.match(found(21n).join(), 'has 21 credits reserved, its jobs make 20')
})

Books('what was put away before a dispute is not held against the chain any more', () => {
  const books = enter(deposited(), locked(), settledWith(), disputed())
  const open = { ...told, version: 6, status: 'disputed' } as const
  const putAway = (version: number) =>
    service(open, { archive: new Map([[ID, { ...told, source: 'archive', version } as const]]) })
  assert.equal(differences(books, putAway(5)), [])
  assert.match(
    differences(books, putAway(6)).join(),
    /archive says settled; on chain it is disputed/,
  )
})

Books('what is set aside for a withdrawal is reserved, and no job', () => {
  const books = settledBooks()
  const last = books.wallets.get(WALLET)!.steps.at(-1)!
  const withdrawal = { for: 'withdrawal', kind: 'withdrawal', credits: 20n } as const
  const wallet = { ...last, wallet: WALLET, reserved: 20n, holds: [withdrawal] }
  assert.equal(differences(books, service(told, { wallets: [wallet] })), [])
})

Books('a terminal state stays', () => {
  const kept = (['failed', 'refunded', 'upheld', 'abandoned'] as const).every(
    (from) => mayBecome(from, from) && !mayBecome(from, 'pending') && !mayBecome(from, 'settling'),
  )
  assert.ok(kept)
  assert.ok(mayBecome('failed', 'settled') && mayBecome('refunded', 'settled'))
  assert.not.ok(mayBecome('abandoned', 'settled') || mayBecome('refunded', 'disputed'))
  assert.ok(mayBecome('settled', 'disputed') && !mayBecome('settled', 'refunded'))
  assert.ok(mayBecome('processing', 'pending'))
})

Books(
  'a chain that has gone back: a dispute comes back with its job, a verdict may be another',
  () => {
    assert.ok(mayBecome('failed', 'disputed'))
    assert.ok(mayBecome('upheld', 'settled'))
    assert.not.ok(mayBecome('upheld', 'disputed') || mayBecome('upheld', 'failed'))
  },
)

Books(
  'a settlement that the chain took back with its deposit: failed, unless the chain has it',
  () => {
    assert.ok(mayBecome('settled', 'failed') && mayBecome('disputed', 'failed'))
    const undone: Told = { ...told, status: 'failed', charged: 0n, settlementTx: null }
    const [found = ''] = differences(settledBooks(), service(undone))
    assert.match(found, /the journal says failed; on chain it is settled/)
  },
)

Books(
  'looking twice: an exact amount that differs at every look does, whatever it is',
  async () => {
    let [time, count] = [0, 0]
    const look = async () => {
      const books = enter(deposited())
      const { at } = books.wallets.get(WALLET)!.steps[0]!
      const off = BigInt(++count)
      const ledger = { wallet: WALLET, available: 100n + off, locked: 0n, reserved: off, at }
      return {
        differences: compare(books, service(undefined, { wallets: [{ ...ledger, holds: [] }] })),
      }
    }
    const pause = async (ms: number) => {
      time += ms
    }
    const looked = await lookTwice({ look, patienceMs: 3, pauseMs: 1, now: () => time, pause })
    assert.is(count, 4)
    assert.equal(looked.standing.map(nameOf), [
      `${WALLET}: the ledger's balance at block 1 is 104, but the events make 100`,
      `${WALLET}: the ledger has 4 credits reserved, its jobs make 0`,
    ])
    assert.is(looked.moving, 0)
  },
)

Books.run()
