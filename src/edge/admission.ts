import type { ChatRequest } from '../domain/chat.ts'
import type { Credits } from '../domain/credits.ts'
import { type JobId, makeJobId } from '../domain/ids.ts'
import { findModel } from '../domain/models.ts'
import { type Estimate, estimate } from '../domain/pricing.ts'
import type { Tier } from '../domain/tiers.ts'
import { addMs, type DurationMs, type UnixMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger, ReserveReply } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import type { Caller } from './auth.ts'
import type { Balances } from './balances.ts'
import type { ChatOrder } from './chat-request.ts'
import { cannotFit, roomForAnswer } from './context-window.ts'
import { refuse } from './errors.ts'
import type { LiveModel, Pools } from './pools.ts'

/** A request whose credits are set aside and whose prompt is stored: ready to become a job. */
export interface AdmittedJob {
  readonly jobId: JobId
  readonly caller: Caller
  readonly model: string
  readonly tier: Tier
  readonly lock: Credits
  readonly outputTokensMax: number
  readonly stream: boolean
  readonly prompt: ChatRequest
  /** What the wallet could spend beside this job. */
  readonly remaining: Credits
  readonly at: UnixMs
  readonly deadlineAt: UnixMs
}

export interface Admission {
  /** @throws {RefusalError} before or instead of moving a credit */
  admit(caller: Caller, order: ChatOrder): Promise<AdmittedJob>
}

interface Options {
  readonly pools: Pools
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
    admit: async (caller, order) => {
      const live = liveModel(options.pools, order.prompt.model)
      refuseOverlong(order, live)
      return reserve(options, caller, order, live)
    },
  }
}

const NO_WORKERS_RETRY_SECONDS = 5

function liveModel(pools: Pools, id: string): LiveModel {
  if (!findModel(id)) throw unknownModel(id)
  const live = pools.live(id)
  if (live) return live
  throw refuse(
    'no_workers_available',
    `No worker serves \`${id}\` at the moment. Try again shortly, or use another model.`,
    { param: 'model', details: { model: id, retry_after: NO_WORKERS_RETRY_SECONDS } },
  )
}

export const unknownModel = (id: string) =>
  refuse(
    'model_not_found',
    `There is no model \`${id.slice(0, 100)}\`. GET /v1/models lists those that are served.`,
    { param: 'model' },
  )

function refuseOverlong({ prompt, maxTokens }: ChatOrder, { contextWindow, model }: LiveModel) {
  const window = `the context window of \`${model.id}\`, ${contextWindow} tokens`
  if (maxTokens !== undefined && maxTokens >= contextWindow) {
    throw refuse(
      'context_length_exceeded',
      `\`max_tokens\` (${maxTokens}) leaves no room for the messages in ${window}.`,
      { param: 'max_tokens' },
    )
  }
  if (cannotFit(prompt.messages, contextWindow)) {
    const message = `The messages exceed ${window}. Shorten them or use another model.`
    throw refuse('context_length_exceeded', message, { param: 'messages' })
  }
}

async function reserve(
  { balances, ledger, clock, log, jobWindowMs }: Options,
  caller: Caller,
  order: ChatOrder,
  { model, contextWindow }: LiveModel,
): Promise<AdmittedJob> {
  const { tier } = model
  const answerMax = roomForAnswer(order.prompt.messages, contextWindow)
  const priced = (balance: Credits): Estimate => {
    const price = estimate(tier, order.maxTokens, answerMax, balance)
    if (price.lock > balance) throw insufficient(balance, price.lock, tier)
    return price
  }
  const at = clock.now()
  const jobId = makeJobId(at, clock.randomBytes(16))
  let { remaining: balance } = await balances.read(caller.wallet)
  // Another request of this wallet may win the credits between reading and reserving.
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
      }),
    )
    if (reply.type === 'reserved') {
      return {
        jobId,
        caller,
        model: model.id,
        tier,
        lock: price.lock,
        outputTokensMax: price.outputTokensMax,
        stream: order.stream,
        prompt: order.prompt,
        remaining: reply.remaining,
        at,
        deadlineAt: addMs(at, jobWindowMs),
      }
    }
    if (reply.type === 'insufficient') balance = reply.remaining
    else balance = (await balances.read(caller.wallet)).remaining
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
