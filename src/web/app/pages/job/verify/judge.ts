import { toCredits } from '../../../../../domain/credits.ts'
import { FLAT_OUTPUT_TOKENS, priceOf } from '../../../../../domain/pricing.ts'
import { TIER_PRICES, TIERS } from '../../../../../domain/tiers.ts'
import { credits, short, usdgOfUnits } from '../../../parts/words.ts'
import type { ChainFacts, LockFact, SettlementFact } from './facts.ts'

/** One thing that was looked at, for people: what it means, whether it holds, and what shows it. */
export interface Check {
  readonly claim: string
  /** Null: it cannot be told, or not yet. */
  readonly holds: boolean | null
  readonly evidence: string
  /** Where anybody can look it up. */
  readonly tx?: string
}

export interface Question {
  readonly chainId: number
  readonly wallet: string
  /** `sha256:<hex>` of what the caller received; null: no text was given. */
  readonly textHash: string | null
  readonly unitsPerCredit: bigint
}

/** Judges a job by what the chain says of it. Pure: asks nobody anything. */
export function judge(facts: ChainFacts, question: Question): readonly Check[] {
  const { lock, settlement } = facts
  return [
    checkChain(facts, question),
    checkLock(facts, question),
    ...(settlement ? checkSettlement(facts, settlement, lock, question) : []),
    ...checkRefund(facts),
    ...checkText(facts, question),
    checkRecord(facts),
  ]
}

const alike = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
const publicHash = (hash: string) => `sha256:${hash.slice(2)}`

const checkChain = ({ chainId, escrow }: ChainFacts, question: Question): Check => ({
  claim: 'The node is one of the settlement chain',
  holds: chainId === question.chainId,
  evidence: `Your browser asked a node of chain ${chainId} about the contract ${escrow}.`,
})

function checkLock({ lock }: ChainFacts, { wallet }: Question): Check {
  const claim = 'Your credits were locked for this job'
  if (!lock) return { claim, holds: null, evidence: 'No lock of it is in a block yet.' }
  return {
    claim,
    holds: alike(lock.wallet, wallet),
    evidence: `${credits(Number(lock.credits))} of ${short(lock.wallet)}, tier ${TIERS[lock.tier]}, in block ${lock.block}.`,
    tx: lock.tx,
  }
}

function checkSettlement(
  facts: ChainFacts,
  it: SettlementFact,
  lock: LockFact | null,
  question: Question,
): Check[] {
  return [
    ...checkSignature(it),
    ...(lock ? [checkPrice(it, lock)] : []),
    checkShares(facts, it, question),
  ]
}

/** Whole seconds, which is what the worker signs. */
const utc = (unixSeconds: number): string =>
  `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

function checkSignature({ signed, ...it }: SettlementFact): Check[] {
  const claim = 'The worker signed exactly what was settled'
  if (!signed) {
    const evidence = 'The settlement is no plain batch, so its signature cannot be read here.'
    return [{ claim, holds: null, evidence, tx: it.tx }]
  }
  const isSame =
    signed.outputHash === it.outputHash &&
    signed.outputTokens === it.outputTokens &&
    signed.workerId === it.workerId
  const at = utc(signed.completedAt)
  return [
    {
      claim,
      holds: isSame,
      evidence: `Signed: ${publicHash(signed.outputHash)}, ${signed.outputTokens} tokens, ${at}. Settled: ${isSame ? 'the same' : `${publicHash(it.outputHash)}, ${it.outputTokens} tokens`}, in block ${it.block}.`,
      tx: it.tx,
    },
    {
      claim: 'The signature is of the worker that was paid',
      holds: signed.signer !== null && alike(signed.signer, it.registered),
      evidence: `The signature gives ${signed.signer ?? 'nobody'}; worker ${it.workerId} is registered with ${it.registered}.`,
      tx: it.tx,
    },
  ]
}

/** The arithmetic as the specification has it, done again here. */
function checkPrice(it: SettlementFact, lock: LockFact): Check {
  const claim = 'The price is right, and the rest of the lock came back'
  const tier = TIERS[lock.tier]
  if (!tier) return { claim, holds: false, evidence: `There is no tier ${lock.tier}.`, tx: it.tx }
  const price = priceOf(tier, it.outputTokens)
  const charge = price < lock.credits ? price : toCredits(lock.credits)
  const cut = charge < price ? `, cut to the ${lock.credits} that were locked` : ''
  return {
    claim,
    holds: it.charged === charge && it.returned === lock.credits - charge,
    evidence: `${arithmetic(tier, it.outputTokens)} = ${credits(Number(price))}${cut}. Charged: ${it.charged}; returned: ${it.returned} of ${lock.credits}.`,
    tx: it.tx,
  }
}

function arithmetic(tier: keyof typeof TIER_PRICES, tokens: number): string {
  const { perRequest, per1kTokens } = TIER_PRICES[tier]
  if (tokens <= FLAT_OUTPUT_TOKENS) {
    return `${tokens} tokens in tier ${tier}, within the flat price`
  }
  const above = tokens - FLAT_OUTPUT_TOKENS
  return `${tokens} tokens in tier ${tier}: ${perRequest} + ${above} × ${per1kTokens} ÷ 1,000, rounded up,`
}

const SHARE_PERCENT = { staked: 85n, plain: 75n } as const

function checkShares(
  { record }: ChainFacts,
  { charged, workerUnits, treasuryUnits, tx }: SettlementFact,
  { unitsPerCredit }: Question,
): Check {
  const total = charged * unitsPerCredit
  const percent = record.staked ? SHARE_PERCENT.staked : SHARE_PERCENT.plain
  const worker = (total * percent) / 100n
  return {
    claim: 'Worker and treasury got what was charged, to the last unit',
    holds: workerUnits === worker && treasuryUnits === total - worker,
    evidence: `${usdgOfUnits(total)} charged: ${usdgOfUnits(workerUnits)} to the worker (${percent} %, ${record.staked ? 'with' : 'without'} a stake), ${usdgOfUnits(treasuryUnits)} to the treasury.`,
    tx,
  }
}

function checkRefund({ refund, lock }: ChainFacts): Check[] {
  if (!refund) return []
  return [
    {
      claim: 'All that was locked came back',
      holds: lock !== null && refund.credits === lock.credits,
      evidence: `${credits(Number(refund.credits))} in block ${refund.block}.`,
      tx: refund.tx,
    },
  ]
}

function checkText({ settlement, dispute }: ChainFacts, { textHash }: Question): Check[] {
  if (textHash === null) return []
  const claim = 'Your text is the answer that the worker signed'
  if (!settlement) {
    return [{ claim, holds: null, evidence: 'The chain has no signed hash of this job.' }]
  }
  const signed = publicHash(settlement.outputHash)
  const disputed = dispute ? ` The dispute claims ${publicHash(dispute.claimedHash)}.` : ''
  return [
    {
      claim,
      holds: textHash === signed,
      evidence: `Your text: ${textHash}. On chain: ${signed}.${disputed}`,
      tx: settlement.tx,
    },
  ]
}

/**
 * The contract's own memory tells the same story as its events. The service names the end of a job once its block
 * has the confirmations that it waits for: a contract that has gone on by then contradicts nobody.
 */
function checkRecord({ record, lock, settlement, refund, isEndTold }: ChainFacts): Check {
  const { status } = record
  const fits: Readonly<Record<typeof status, boolean>> = {
    None: !lock && !settlement && !refund,
    Locked: !settlement && !refund,
    Settled: settlement !== null && !refund,
    Refunded: refund !== null && !settlement,
    Disputed: settlement !== null,
    Upheld: settlement !== null,
    Rejected: settlement !== null,
  }
  const isAhead = !isEndTold && !settlement && !refund && status !== 'Locked'
  const held = `It holds the job as “${status.toLowerCase()}”, with ${credits(Number(record.credits))}`
  const claim = 'The contract remembers the same'
  if (status === 'None') {
    const evidence =
      'It does not know this job yet. One that has only just begun may not be in a block.'
    return { claim, holds: null, evidence }
  }
  if (isAhead) {
    const evidence = `${held}. The service waits for more blocks before it names the transaction.`
    return { claim, holds: null, evidence }
  }
  return { claim, holds: fits[status], evidence: `${held}.` }
}
