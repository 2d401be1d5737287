import type { Balances } from '../../api/balances.ts'
import { refuse } from '../../api/http/errors.ts'
import { requireModel } from '../../api/models/known-model.ts'
import type { LiveModel, Pools } from '../../api/models/pools.ts'
import { type Credits, NO_CREDITS } from '../../domain/credits.ts'
import { makeJobId } from '../../domain/ids.ts'
import type { Tier } from '../../domain/tiers.ts'
import { addMs, type DurationMs } from '../../domain/time.ts'
import { JOIN_MARGIN_MS } from '../../messages/job.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JoinEntry, Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import type { Caller } from '../callers/auth.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'
import type { ChainHealth } from './chain-health.ts'
import type { ChatOrder } from './chat-request.ts'
import { cannotFit, roomForAnswer } from './context-window.ts'
import { reserveCredits } from './reserve-credits.ts'
import { type Look, makeSharedLooks } from './shared-looks.ts'

/** A request whose credits are set aside: ready to become a job. */
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
  readonly join?: Omit<JoinEntry, 'ttlMs'> | undefined
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

export function makeAdmission(options: Options): Admission {
  const seldom = new Seldom(options.clock, options.log)
  const look = makeSharedLooks(options)
  return {
    admit: async (caller, order, repeat) => {
      const live = liveModel(options, order.prompt.model)
      refuseOverlong(order, live)
      options.chainHealth.requireLanes()
      return reserve({ ...options, seldom, look }, { caller, order, repeat }, live)
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
  readonly repeat: Repeat | undefined
}

async function reserve(
  options: Options & { readonly seldom: Seldom; readonly look: Look },
  { caller, order, repeat }: Request,
  { model, contextWindow }: LiveModel,
): Promise<AdmittedJob | 'taken'> {
  const { ledger, clock, seldom, jobWindowMs } = options
  const { prompt, maxTokens, stream } = order
  const { wallet } = caller
  const at = clock.now()
  const jobId = makeJobId(at, clock.randomBytes(16))
  const join = repeat?.join ? { join: { ...repeat.join, ttlMs: jobWindowMs + JOIN_MARGIN_MS } } : {}
  const answerMax = roomForAnswer(prompt.messages, contextWindow)
  const returning = repeat?.returning ?? NO_CREDITS
  const wanted = { wallet, tier: model.tier, maxTokens, answerMax, returning }
  const reserved = await reserveCredits(options, wanted, async (credits) => {
    try {
      return await ledger.reserve({ wallet, jobId, credits, at, ...join })
    } catch (error) {
      seldom.warn({ err: error, jobId, wallet }, 'ledger: cannot reserve')
      throw refuse('service_unavailable', 'Credits cannot be reserved at the moment; try again.')
    }
  })
  if (reserved === 'taken') return reserved
  const { remaining, estimate } = reserved
  return {
    jobId,
    caller,
    model: model.id,
    tier: model.tier,
    lock: estimate.lock,
    // Of a cap above the window the price is locked, and no more than the window is generated.
    outputTokensMax: Math.min(estimate.outputTokensMax, contextWindow),
    stream,
    prompt,
    remaining,
    at,
    deadlineAt: addMs(at, jobWindowMs),
    ...join,
  }
}
