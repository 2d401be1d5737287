import { alike, type Check, credits, equal, place } from './checks.ts'
import type { DisputeFact, JobFacts, SettlementFact, VerdictFact } from './facts.ts'

/** The dispute of a job, if there is one, and how it ended. */
export function checkDispute(facts: JobFacts): Check[] {
  const { settlements, disputes, verdicts } = facts
  const [settlement] = settlements
  const [dispute] = disputes
  if (!dispute) {
    return verdicts.length === 0
      ? []
      : [equal('dispute', 'decided and never opened', 'opened before it is decided')]
  }
  if (!settlement) return [equal('dispute', 'of a job that is not settled', 'of a settled job')]
  const [verdict] = verdicts
  return [
    ...checkOpening(facts, settlement, dispute),
    equal('disputed once', `${disputes.length}, decided ${verdicts.length} times`, 'once', {
      holds: disputes.length === 1 && verdicts.length <= 1,
      because: 'and decided at most once',
    }),
    ...(verdict ? checkVerdict(settlement, verdict) : checkPending(facts, dispute)),
  ]
}

function checkOpening(
  { rules }: JobFacts,
  settlement: SettlementFact,
  dispute: DisputeFact,
): Check[] {
  const after = dispute.time - settlement.time
  const sameHash = alike(dispute.claimedHash, settlement.outputHash)
  return [
    equal(
      'dispute',
      `opened ${after} s after the settlement in ${place(dispute)}`,
      `within ${rules.disputeSeconds} s`,
      {
        holds:
          after >= 0 && after <= rules.disputeSeconds && alike(dispute.wallet, settlement.wallet),
        because: sameHash
          ? 'though it claims the very hash that the worker signed'
          : `claiming ${dispute.claimedHash}`,
      },
    ),
  ]
}

function checkVerdict({ charged, wallet }: SettlementFact, it: VerdictFact): Check[] {
  const wanted = it.upheld ? charged : 0n
  return [
    equal(
      'arbitration',
      `${it.upheld ? 'upheld' : 'rejected'}, ${credits(it.returned)} back in ${place(it)}`,
      `${credits(wanted)} back`,
      {
        holds: it.returned === wanted && alike(it.wallet, wallet),
        because: it.upheld ? 'all that was charged' : 'the worker keeps its share',
      },
    ),
  ]
}

function checkPending({ now, rules }: JobFacts, dispute: DisputeFact): Check[] {
  const age = now - dispute.time
  const late = age >= rules.arbitrationSeconds
  const wanted = `decided within ${rules.arbitrationSeconds} s`
  return [
    equal('arbitration', `open for ${age} s`, wanted, {
      holds: !late,
      because: late ? 'so that anyone may send expireDispute now' : '',
    }),
  ]
}
