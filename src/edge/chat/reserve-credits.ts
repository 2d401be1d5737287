import type { Balances } from '../../api/balances.ts'
import { refuse } from '../../api/http/errors.ts'
import { type Credits, maxCredits, minCredits, toCredits } from '../../domain/credits.ts'
import type { Address } from '../../domain/ids.ts'
import { type Estimate, estimate, priceOf } from '../../domain/pricing.ts'
import type { Tier } from '../../domain/tiers.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Balance, ReserveReply } from '../../ports/ledger.ts'
import type { Look } from './shared-looks.ts'

/** What is to be paid for. */
export interface Wanted {
  readonly wallet: Address
  readonly tier: Tier
  /** The caller's cap, if it gave one. */
  readonly maxTokens: number | undefined
  /** The most that the model can answer. */
  readonly answerMax: number
  /** Of the failed job that this one replaces, still on their way back. */
  readonly returning: Credits
}

export interface Reserved {
  readonly estimate: Estimate
  readonly remaining: Credits
}

interface Options {
  readonly balances: Pick<Balances, 'load'>
  readonly look: Look
  readonly clock: Clock
}

/** What the wallet has, as the ledger says when it refuses. */
type Funds = Pick<Balance, 'remaining' | 'returning'>

const ATTEMPTS_MAX = 5
/**
 * How long a request waits for credits of jobs that have just ended. A job without a cap holds all that a small
 * wallet has, and the rest is back with the block of its settlement: who asks one thing after the other would
 * be refused, or cut short, for nothing.
 */
const RETURN_WAIT_MS: DurationMs = 2_000

/**
 * Sets aside the price of what is wanted, or what the wallet has, where that will do.
 * @param set asks the ledger for so many
 * @returns `taken`: another job has the request's key
 * @throws {RefusalError} insufficient_credits, service_unavailable
 */
export async function reserveCredits(
  options: Options,
  wanted: Wanted,
  set: (credits: Credits) => Promise<ReserveReply>,
): Promise<Reserved | 'taken'> {
  const until = options.clock.monotonic() + RETURN_WAIT_MS
  // Mostly there is enough. Where there is not the ledger says what there is, so it is not asked before.
  let funds: Funds | undefined
  // Another request of this wallet may win what it said.
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const price = priced(wanted, funds)
    const reply = await set(price.lock)
    if (reply.type === 'reserved') return { estimate: price, remaining: reply.remaining }
    if (reply.type === 'taken') return reply.type
    if (reply.type === 'unknown_wallet') await options.balances.load(wanted.wallet)
    else funds = await onceReturned(options, wanted, reply, until)
  }
  throw refuse(
    'service_unavailable',
    'Other requests of this wallet keep changing its balance; try again shortly.',
  )
}

function priced({ tier, maxTokens, answerMax, returning }: Wanted, funds?: Funds): Estimate {
  const price = estimate(tier, maxTokens, answerMax, funds?.remaining)
  if (!funds || price.lock <= funds.remaining) return price
  const back = maxCredits(returning, funds.returning)
  if (price.lock <= funds.remaining + back) throw onTheirWay(back)
  throw insufficient(funds.remaining, price.lock, tier)
}

/** Waits until the wallet has what is wanted, or all that it can expect, or nothing is to come. */
async function onceReturned(
  { look, clock }: Options,
  wanted: Wanted,
  found: Funds,
  until: number,
): Promise<Funds> {
  const enough = minCredits(priced(wanted).lock, toCredits(found.remaining + found.returning))
  let funds = { ...found, isContested: false }
  const mayGetMore = () => funds.isContested || funds.returning > 0n
  while (funds.remaining < enough && mayGetMore() && clock.monotonic() < until) {
    funds = await look(wanted.wallet, enough)
  }
  return funds
}

const insufficient = (remaining: Credits, required: Credits, tier: Tier) =>
  refuse(
    'insufficient_credits',
    `The wallet can spend ${remaining} credits; this request needs ${required}. ` +
      (required > priceOf(tier, 0)
        ? 'Top up in the web app, or lower `max_tokens`.'
        : 'Top up in the web app.'),
    {
      details: {
        credits_remaining: Number(remaining),
        credits_required: Number(required),
        tier,
      },
    },
  )

const onTheirWay = (returning: Credits) =>
  refuse(
    'service_unavailable',
    `Up to ${returning} credits of jobs that have just ended are on their way back; try again shortly.`,
  )
