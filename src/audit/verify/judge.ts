import { type RecordStatus, tierName } from '../chain/abi.ts'
import { codeInWords } from '../chain/code.ts'
import { checkDispute } from './check-dispute.ts'
import { checkSettlement } from './check-settlement.ts'
import { alike, type Check, credits, equal, place } from './checks.ts'
import type { JobFacts, LockFact, RefundFact } from './facts.ts'

export interface Verdict {
  readonly jobId: string
  /** `broken`: something is not as it must be. `untold`: nothing is wrong that could be looked at. */
  readonly verdict: 'holds' | 'broken' | 'untold'
  readonly outcome: RecordStatus
  readonly sentence: string
  readonly checks: readonly Check[]
  /** What was not looked at, though it could be elsewhere. */
  readonly notes: readonly string[]
}

/** Judges a job by what the chain says of it. Pure: asks nobody anything. */
export function judge(facts: JobFacts): Verdict {
  const { jobId } = facts
  const [lock] = facts.locks
  if (!lock) {
    const sentence =
      `The escrow ${facts.escrow} on chain ${facts.chainId} knows no job ${jobId}: check the id, ` +
      'the chain and the escrow. A job that has only just begun may not be in a block yet.'
    return { jobId, verdict: 'untold', outcome: 'none', sentence, checks: [], notes: [] }
  }
  const outcome = outcomeOf(facts)
  const checks = [
    ...checkLock(facts, lock),
    ...checkEnd(facts, lock),
    ...facts.settlements.flatMap((settlement) => checkSettlement(facts, lock, settlement)),
    ...facts.refunds.flatMap((refund) => checkRefund(lock, refund)),
    ...checkDispute(facts),
    ...checkText(facts),
    ...checkRecord(facts, lock, outcome),
    ...checkCode(facts),
  ]
  const verdict = verdictOf(checks)
  const failed = checks.filter(({ holds }) => holds === false).length
  const sentence = `${told(facts, lock, outcome)} ${CONCLUSIONS[verdict](failed)}`
  const notes = facts.code.type === 'not_built' ? [codeInWords(facts.code)] : []
  return { jobId, verdict, outcome, sentence, checks, notes }
}

const CONCLUSIONS = {
  holds: () => 'Every check holds.',
  broken: (failed: number) => `${failed} ${failed === 1 ? 'check does' : 'checks do'} not hold.`,
  untold: () => 'Not everything can be told.',
}

function verdictOf(checks: readonly Check[]): Verdict['verdict'] {
  if (checks.some(({ holds }) => holds === false)) return 'broken'
  return checks.every(({ holds }) => holds === true) ? 'holds' : 'untold'
}

/** What became of the job by its events. */
export function outcomeOf(facts: JobFacts): RecordStatus {
  const { locks, settlements, refunds, disputes, verdicts } = facts
  const [verdict] = verdicts
  if (verdict) return verdict.upheld ? 'upheld' : 'rejected'
  if (disputes.length > 0) return 'disputed'
  if (settlements.length > 0) return 'settled'
  if (refunds.length > 0) return 'refunded'
  return locks.length > 0 ? 'locked' : 'none'
}

function checkLock({ locks }: JobFacts, lock: LockFact): Check[] {
  const describe = (one: { wallet: string; credits: bigint; tier: number }): string =>
    `${credits(one.credits)} of ${one.wallet} for tier ${tierName(one.tier)}`
  return [
    {
      name: 'lock',
      holds: lock.asked && alike(describe(lock), describe(lock.asked)),
      found: `${describe(lock)} in ${place(lock)}`,
      wanted: lock.asked
        ? `${describe(lock.asked)}, as the transaction asked`
        : 'what the transaction asked, which cannot be read',
    },
    equal('locked once', String(locks.length), '1'),
  ]
}

/** A lock ends once: as a settlement or as a refund. */
function checkEnd({ settlements, refunds, now, rules }: JobFacts, lock: LockFact): Check[] {
  const ends = settlements.length + refunds.length
  if (ends > 0) {
    const found = `${settlements.length} settled, ${refunds.length} refunded`
    return [{ name: 'ended once', holds: ends === 1, found, wanted: 'one of them, once' }]
  }
  const age = now - lock.time
  const late = age >= rules.expirySeconds
  return [
    {
      name: 'ended once',
      holds: late ? false : null,
      found: `still locked after ${age} s`,
      wanted: late
        ? `settled or refunded within ${rules.expirySeconds} s; anyone may send refundExpired now`
        : `settled or refunded, for which there are ${rules.expirySeconds} s: ask again`,
    },
  ]
}

const checkRefund = (lock: LockFact, refund: RefundFact): Check[] => [
  equal('refund', `${credits(refund.credits)} in ${place(refund)}`, credits(lock.credits), {
    holds: refund.credits === lock.credits,
    because: 'all that was locked',
  }),
  equal('refunded to', refund.wallet, lock.wallet),
]

function checkText({ textHash, settlements }: JobFacts): Check[] {
  if (textHash === null) return []
  const [settlement] = settlements
  if (!settlement) {
    const wanted = 'a hash that a worker signed; the chain has none of this job'
    return [{ name: 'text', holds: false, found: textHash, wanted }]
  }
  return [equal('text', textHash, settlement.outputHash, { because: 'the hash on chain' })]
}

/** The contract's own memory is the same story as its events. */
function checkRecord(facts: JobFacts, lock: LockFact, outcome: RecordStatus): Check[] {
  const [settlement] = facts.settlements
  const kept = settlement ? settlement.charged : lock.credits
  const worker = settlement ? ` by worker ${settlement.workerId}` : ''
  const wanted = `${outcome}, ${credits(kept)} of ${lock.wallet}, ${tierName(lock.tier)}${worker}`
  const { record } = facts
  const keptWorker = record.workerId ? ` by worker ${record.workerId}` : ''
  const found =
    `${record.status}, ${credits(record.credits)} of ${record.wallet}, ` +
    `${tierName(record.tier)}${keptWorker}`
  return [equal('contract remembers', found, wanted, { because: 'by its events' })]
}

/** What the contract promises is what its sources say, only if they are its sources. */
function checkCode({ code }: JobFacts): Check[] {
  if (code.type === 'not_built') return []
  const holds = code.type === 'same'
  return [{ name: 'code', holds, found: codeInWords(code), wanted: 'that of the build here' }]
}

function told({ settlements }: JobFacts, lock: LockFact, outcome: RecordStatus): string {
  const [settlement] = settlements
  const of = `${settlement?.charged ?? 0n} of ${credits(lock.credits)}`
  const paid = `${of} paid for ${settlement?.outputTokens ?? 0} tokens`
  switch (outcome) {
    case 'settled':
      return `Settled: ${paid}.`
    case 'refunded':
      return `Refunded: ${credits(lock.credits)} went back to the wallet, nothing was paid.`
    case 'disputed':
      return `Disputed: ${paid}, held until the arbiter decides.`
    case 'upheld':
      return 'Disputed, and the caller was right: what was charged went back to the wallet.'
    case 'rejected':
      return `Disputed, and the worker was right: ${paid}.`
    default:
      return `Locked: ${credits(lock.credits)} wait for an answer.`
  }
}
