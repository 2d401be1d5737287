import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobFacts, SettlementFact } from '../../../src/audit/verify/facts.ts'
import { judge, type Verdict } from '../../../src/audit/verify/judge.ts'
import { parseOptions } from '../../../src/audit/verify/options.ts'
import { inWords } from '../../../src/audit/verify/report.ts'
import { textHash } from '../../../src/audit/verify/text-hash.ts'

/** What a caller who trusts nobody is told about a job, by what the chain says of it. */
const Verify = suite('verify')

const WALLET = `0x${'1'.repeat(40)}`
const WORKER = `0x${'2'.repeat(40)}`
const STRANGER = `0x${'3'.repeat(40)}`
const HASH = textHash(Buffer.from('the answer'))
const tx = (digit: string): string => `0x${digit.repeat(64)}`

const lock = {
  ...{ tx: tx('a'), block: 10, time: 1_000 },
  ...{ wallet: WALLET, credits: 20n, tier: 1 },
  asked: { wallet: WALLET, credits: 20n, tier: 1 },
}
const statement = { workerId: 7, outputHash: HASH, outputTokens: 60 }
const settlement: SettlementFact = {
  ...{ tx: tx('b'), block: 12, time: 1_010 },
  ...statement,
  wallet: WALLET,
  registeredSigner: WORKER,
  ...{ charged: 8n, returned: 12n, price: 8n, workerUnits: 60_000n, treasuryUnits: 20_000n },
  proof: { ...statement, completedAt: 1_009, signer: WORKER },
}
const record = { wallet: WALLET, credits: 8n, tier: 1, workerId: 7, staked: false }
const settled: JobFacts = {
  ...{ jobId: 'job_1', chainId: 1, escrow: `0x${'4'.repeat(40)}`, now: 1_100, textHash: null },
  ...{ locks: [lock], settlements: [settlement], refunds: [], disputes: [], verdicts: [] },
  record: { ...record, status: 'settled' },
  code: { type: 'same', names: ['JobEscrow', 'WorkerStaking'] },
  rules: {
    ...{ unitsPerCredit: 10_000n, defaultShareBps: 7_500n, stakedShareBps: 8_500n },
    ...{ expirySeconds: 180, disputeSeconds: 600, arbitrationSeconds: 86_400 },
  },
}
const dispute = {
  ...{ tx: tx('c'), block: 13, time: 1_050 },
  ...{ wallet: WALLET, workerId: 7, claimedHash: textHash(Buffer.from('another')) },
}
const disputed: JobFacts = {
  ...settled,
  disputes: [dispute],
  record: { ...record, status: 'disputed' },
}
const resolution = { tx: tx('d'), block: 14, time: 1_090, wallet: WALLET }
const locked: JobFacts = {
  ...settled,
  settlements: [],
  record: { ...record, status: 'locked', credits: 20n, workerId: 0 },
}
const refund = { tx: tx('e'), block: 12, time: 1_120, wallet: WALLET, credits: 20n }
const refunded: JobFacts = {
  ...locked,
  refunds: [refund],
  record: { ...locked.record, status: 'refunded' },
}
const but = (changed: Partial<SettlementFact>): JobFacts => ({
  ...settled,
  settlements: [{ ...settlement, ...changed }],
})

Verify('given a job settled as it should be: holds', () => {
  const verdict = judge(settled)
  holds(verdict)
  assert.is(verdict.outcome, 'settled')
  assert.match(verdict.sentence, 'Settled: 8 of 20 credits paid for 60 tokens. Every check holds.')
})

Verify('given a job that the chain does not know: untold', () => {
  const verdict = judge({ ...settled, locks: [], settlements: [] })
  assert.equal([verdict.verdict, verdict.checks], ['untold', []])
  assert.match(verdict.sentence, 'knows no job job_1')
})

Verify('given the text that was signed, and one that was not', () => {
  holds(judge({ ...settled, textHash: textHash(Buffer.from('the answer\n\n')) }))
  fails(judge({ ...settled, textHash: textHash(Buffer.from('the answer ')) }), 'text')
})

Verify('given a text where nobody signed anything: fails', () => {
  fails(judge({ ...refunded, textHash: HASH }), 'text')
})

Verify('given a charge that is not the price: fails', () => {
  fails(judge(but({ price: 9n })), 'charge', 'returned')
})

Verify('given a price above the lock: the charge is the lock', () => {
  const units = { workerUnits: 150_000n, treasuryUnits: 50_000n }
  const all = but({ price: 31n, charged: 20n, returned: 0n, ...units })
  holds(judge({ ...all, record: { ...settled.record, credits: 20n } }))
})

Verify('given a rest that did not come back: fails', () => {
  fails(judge(but({ returned: 11n })), 'returned')
})

Verify('given a stake: the higher share is right, and the lower is not', () => {
  const staked = { ...settled.record, staked: true }
  holds(judge({ ...but({ workerUnits: 68_000n, treasuryUnits: 12_000n }), record: staked }))
  fails(judge({ ...settled, record: staked }), "worker's share", "treasury's share")
})

Verify('given shares that make more than the charge: fails', () => {
  fails(judge(but({ treasuryUnits: 20_001n })), "treasury's share")
})

Verify('given a signature of somebody else, of nobody, or for a worker nobody is: fails', () => {
  const { proof } = settlement
  fails(judge(but({ proof: { ...proof!, signer: STRANGER } })), 'signature')
  fails(judge(but({ proof: { ...proof!, signer: null } })), 'signature')
  fails(judge(but({ registeredSigner: null })), 'signature')
})

Verify('given a signature over other words than were settled: fails', () => {
  const { proof } = settlement
  fails(judge(but({ proof: { ...proof!, outputTokens: 59 } })), 'proof')
  fails(judge(but({ proof: { ...proof!, outputHash: textHash(Buffer.from('x')) } })), 'proof')
})

Verify('given calldata that cannot be read: untold, unless something is wrong', () => {
  assert.is(judge(but({ proof: null })).verdict, 'untold')
  fails(judge(but({ proof: null, price: 9n })), 'charge', 'returned')
})

Verify('given a lock that is not what was asked: fails', () => {
  const asked = { ...lock.asked, credits: 19n }
  fails(judge({ ...settled, locks: [{ ...lock, asked }] }), 'lock')
})

Verify('given two locks, or a settlement and a refund: fails', () => {
  fails(judge({ ...settled, locks: [lock, lock] }), 'locked once')
  fails(judge({ ...settled, refunds: [refund] }), 'ended once')
})

Verify('given the whole lock back: holds; given a part of it: fails', () => {
  const verdict = judge(refunded)
  holds(verdict)
  assert.match(verdict.sentence, 'Refunded: 20 credits went back')
  fails(judge({ ...refunded, refunds: [{ ...refund, credits: 19n }] }), 'refund')
  fails(judge({ ...refunded, refunds: [{ ...refund, wallet: STRANGER }] }), 'refunded to')
})

Verify('given a lock without an end: untold until its time is over', () => {
  assert.is(judge({ ...locked, now: 1_179 }).verdict, 'untold')
  fails(judge({ ...locked, now: 1_180 }), 'ended once')
})

Verify('given an open dispute: holds until its time is over', () => {
  const verdict = judge(disputed)
  holds(verdict)
  assert.is(verdict.outcome, 'disputed')
  fails(judge({ ...disputed, now: dispute.time + 86_400 }), 'arbitration')
})

Verify('given a dispute after its window, or of another wallet: fails', () => {
  const late = { ...dispute, time: settlement.time + 601 }
  fails(judge({ ...disputed, disputes: [late] }), 'dispute')
  fails(judge({ ...disputed, disputes: [{ ...dispute, wallet: STRANGER }] }), 'dispute')
})

Verify('given a dispute upheld: the charge is back', () => {
  const record = { ...disputed.record, status: 'upheld' } as const
  const verdict = { ...resolution, upheld: true, returned: 8n }
  const upheld = { ...disputed, verdicts: [verdict], record }
  holds(judge(upheld))
  assert.is(judge(upheld).outcome, 'upheld')
  fails(judge({ ...upheld, verdicts: [{ ...verdict, returned: 7n }] }), 'arbitration')
})

Verify('given a dispute rejected: nothing comes back', () => {
  const record = { ...disputed.record, status: 'rejected' } as const
  const verdict = { ...resolution, upheld: false, returned: 0n }
  holds(judge({ ...disputed, verdicts: [verdict], record }))
  const generous = { ...verdict, returned: 1n }
  fails(judge({ ...disputed, verdicts: [generous], record }), 'arbitration')
})

Verify('given a contract that remembers another story: fails', () => {
  fails(judge({ ...settled, record: { ...settled.record, credits: 9n } }), 'contract remembers')
  fails(judge({ ...settled, record: disputed.record }), 'contract remembers')
})

Verify('in words: a line a check with both values, then a sentence', () => {
  const words = inWords(judge(but({ price: 9n })))
  assert.match(words, /^✓ lock {2,}20 credits of 0x1{40} for tier standard/m)
  assert.match(words, /^✗ charge {2,}8 credits; but expected 9 credits, the price of 60 tokens/m)
  assert.match(words, /2 checks do not hold\.\n$/)
})

Verify('command line: the id of a job or of its completion, and nothing else', () => {
  const job = parseOptions(['job_1'])
  assert.equal(parseOptions(['chatcmpl-job_1']), job)
  assert.is(parseOptions(['--help']), 'help')
  for (const wrong of [[], ['job_'], ['x'], ['job_1', 'job_2'], ['job_1', '--what']]) {
    assert.throws(() => parseOptions(wrong))
  }
})

function holds({ verdict, checks }: Verdict): void {
  const others = checks.filter((check) => check.holds !== true)
  assert.equal([verdict, others], ['holds', []])
}

function fails({ verdict, checks }: Verdict, ...names: string[]): void {
  const failed = checks.flatMap(({ name, holds }) => (holds === false ? [name] : []))
  assert.equal([verdict, failed], ['broken', names])
}

Verify.run()
