import { tierName } from '../chain/abi.ts'
import { alike, type Check, credits, equal, place } from './checks.ts'
import type { JobFacts, LockFact, SettlementFact } from './facts.ts'

/** Charge, shares and proof of one settlement. */
export function checkSettlement(facts: JobFacts, lock: LockFact, it: SettlementFact): Check[] {
  const isCut = it.price > lock.credits
  const charge = isCut ? lock.credits : it.price
  const tokens = `${it.outputTokens} tokens in tier ${tierName(lock.tier)}`
  return [
    equal('settlement', `of ${it.wallet} in ${place(it)}`, `of ${lock.wallet}`, {
      holds: alike(it.wallet, lock.wallet) && it.block >= lock.block,
      because: 'after the lock',
    }),
    equal('charge', credits(it.charged), credits(charge), {
      because: `the price of ${tokens}${isCut ? ', cut to the lock' : ''}`,
    }),
    equal('returned', credits(it.returned), credits(lock.credits - charge), {
      because: 'the rest of the lock',
    }),
    ...checkShares(facts, it),
    ...checkProof(it),
  ]
}

function checkShares({ rules, record }: JobFacts, it: SettlementFact): Check[] {
  const total = it.charged * rules.unitsPerCredit
  const bps = record.staked ? rules.stakedShareBps : rules.defaultShareBps
  const forWorker = (total * bps) / 10_000n
  const share = `${Number(bps) / 100} % of ${total}`
  return [
    equal("worker's share", `${it.workerUnits} units`, `${forWorker} units`, {
      because: `${share}, ${record.staked ? 'with' : 'without'} a stake`,
    }),
    equal("treasury's share", `${it.treasuryUnits} units`, `${total - forWorker} units`, {
      because: 'the rest',
    }),
  ]
}

function checkProof({ proof, ...it }: SettlementFact): Check[] {
  const registered = it.registeredSigner
    ? `${it.registeredSigner}, worker ${it.workerId}`
    : `somebody registered as worker ${it.workerId}; nobody is`
  if (!proof) {
    const found = 'not in the plain calldata of the settlement'
    return [{ name: 'signature', holds: null, found, wanted: `of ${registered}` }]
  }
  const statement = (one: { workerId: number; outputHash: string; outputTokens: number }): string =>
    `${one.outputHash}, ${one.outputTokens} tokens, worker ${one.workerId}`
  return [
    equal('proof', statement(it), statement(proof), { because: 'as signed' }),
    equal('signature', `of ${proof.signer ?? 'nobody'}`, `of ${registered}`, {
      holds:
        proof.signer !== null &&
        it.registeredSigner !== null &&
        alike(proof.signer, it.registeredSigner),
    }),
  ]
}
