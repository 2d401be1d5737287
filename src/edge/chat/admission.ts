import type { Balances } from '../../api/balances.ts'
import { refuse } from '../../api/http/errors.ts'
import { requireModel } from '../../api/models/known-model.ts'
import type { LiveModel, Pools } from '../../api/models/pools.ts'
import { type Credits, NO_CREDITS } from '../../domain/credits.ts'
import { makeJobId } from '../../domain/ids.ts'
import { type Estimate, estimate } from '../../domain/pricing.ts'
import type { Tier } from '../../domain/tiers.ts'
import { addMs, type DurationMs } from '../../domain/time.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JoinEntry, Ledger, ReserveReply } from '../../ports/ledger.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Caller } from '../callers/auth.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'
import type { ChainHealth } from './chain-health.ts'
import type { ChatOrder } from './chat-request.ts'
import { cannotFit, roomForAnswer } from './context-window.ts'

/** A request whose credits are set aside and whose prompt is stored: ready to become a job. */
export interface AdmittedJob extends WaitedJob {
  readonly tier: Tier
  readonly outputTokensMax: number
  readonly stream: boolean
}

export interface Admission {
  /**
   * @returns `taken`: another job has the join key
   * @throws {RefusalError} before or instead of moving a credit
   */
  admit(caller: Caller, order: ChatOrder, repeat?: Repeat): Promise<AdmittedJob | 'taken'>
}

/** Of a request that may be, or be followed by, a retried one. */
export interface Repeat {
  readonly join?: JoinEntry | undefined
  /** Credits of the failed job that this one replaces, still on their way back. */
  readonly returning: Credits
}

interface Options {
  readonly catalogue: Catalogue
  readonly pools: Pools
  readonly chainHealth: ChainHealth
  readonly balances: Balances
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
  readonly jobWindowMs: DurationMs
}

/** The prompt outlives the job's window a little, for a worker that takes the job at its end. */
const PROMPT_MARGIN_MS = 30_000

export function makeAdmission(options: Options): Admission {
  return {
    admit: async (caller, order, repeat) => {
      const live = liveModel(options, order.prompt.model)
      refuseOverlong(order, live)
      options.chainHealth.requireLanes()
      return reserve(options, { caller, order, live, repeat })
    },
  }
}

const NO_WORKERS_RETRY_SECONDS = 5

function liveModel({ catalogue, pools, clock }: Options, id: string): LiveModel {
  requireModel(catalogue, id, clock.now())
  const live = pools.live(id)
  if (live) return live
  throw refuse(
    'no_workers_available',
    `No worker serves \`${id}\` at the moment. Try again shortly, or use another model.`,
    { param: 'model', details: { model: id, retry_after: NO_WORKERS_RETRY_SECONDS } },
  )
}

function refuseOverlong({ prompt }: ChatOrder, { contextWindow, model }: LiveModel) {
  if (!cannotFit(prompt.messages, contextWindow)) return
  throw refuse(
    'context_length_exceeded',
    `The messages exceed the context window of \`${model.id}\`, ${contextWindow} tokens. ` +
      'Shorten them or use another model.',
    { param: 'messages' },
  )
}

interface Request {
  readonly caller: Caller
  readonly order: ChatOrder
  readonly live: LiveModel
  readonly repeat: Repeat | undefined
}

async function reserve(
  { balances, ledger, clock, log, jobWindowMs }: Options,
  { caller, order, live, repeat }: Request,
): Promise<AdmittedJob | 'taken'> {
  const { model, contextWindow } = live
  const { tier } = model
  const answerMax = roomForAnswer(order.prompt.messages, contextWindow)
  const priced = (balance: Credits | undefined): Estimate => {
    const price = estimate(tier, order.maxTokens, answerMax, balance)
    if (balance === undefined || price.lock <= balance) return price
    const returning = repeat?.returning ?? NO_CREDITS
    if (price.lock <= balance + returning) throw onTheirWay(returning)
    throw insufficient(balance, price.lock, tier)
  }
  const join = repeat?.join
  const at = clock.now()
  const jobId = makeJobId(at, clock.randomBytes(16))
  // Mostly there is enough. Where there is not the ledger says what there is, so it is not asked before.
  let balance: Credits | undefined
  // Another request of this wallet may win what it said.
  for (let attempt = 0; attempt < RESERVE_ATTEMPTS; attempt++) {
    const price = priced(balance)
    const reply = await answered(
      ledger.reserve({
        wallet: caller.wallet,
        jobId,
        credits: price.lock,
        at,
        prompt: order.prompt,
        promptTtlMs: jobWindowMs + PROMPT_MARGIN_MS,
        ...(join ? { join } : {}),
      }),
    )
    if (reply.type === 'reserved') {
      return {
        jobId,
        caller,
        model: model.id,
        tier,
        lock: price.lock,
        // Of a cap above the window the price is locked, and no more than the window is generated.
        outputTokensMax: Math.min(price.outputTokensMax, contextWindow),
        stream: order.stream,
        prompt: order.prompt,
        remaining: reply.remaining,
        at,
        deadlineAt: addMs(at, jobWindowMs),
        ...(join ? { join } : {}),
      }
    }
    if (reply.type === 'taken') return reply.type
    if (reply.type === 'insufficient') balance = reply.remaining
    else await balances.load(caller.wallet)
  }
  throw refuse(
    'service_unavailable',
    'Other requests of this wallet keep changing its balance; try again shortly.',
  )

  async function answered(reply: Promise<ReserveReply>): Promise<ReserveReply> {
    try {
      return await reply
    } catch (error) {
      log.warn({ err: error, jobId, wallet: caller.wallet }, 'ledger: cannot reserve')
      throw refuse('service_unavailable', 'Credits cannot be reserved at the moment; try again.')
    }
  }
}

const RESERVE_ATTEMPTS = 5

const insufficient = (remaining: Credits, required: Credits, tier: Tier) =>
  refuse(
    'insufficient_credits',
    `The wallet can spend ${remaining} credits; this request needs ${required}. ` +
      'Top up in the web app, or lower `max_tokens`.',
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
    `The ${returning} credits of the try before this one are on their way back; try again shortly.`,
  )
