import type { ChatRequest } from '../../domain/chat.ts'
import { makeUnpaidJobId, toAddress } from '../../domain/ids.ts'
import { addMs, type DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OfferedJob } from '../attempt/offer.ts'

/** A server that has to load the model first takes a minute for it. */
export const CANARY_MS: DurationMs = 90_000
const TOKENS = 24
/** For a model that thinks before it speaks, and has thought all of the first ones away. */
const ROOMY_TOKENS = 1_024
/** Nobody pays. */
const NOBODY = toAddress(`0x${'00'.repeat(20)}`)

/**
 * A job that is no caller's. Its id is new each time and no job on chain can have it, so that what
 * the worker signs is worth nothing to anybody: no credits were ever locked under it.
 * @param roomy with tokens to think
 */
export const canaryJob = (model: string, roomy: boolean, clock: Clock): OfferedJob => ({
  jobId: makeUnpaidJobId(clock.randomBytes(20)),
  wallet: NOBODY,
  model,
  outputTokensMax: roomy ? ROOMY_TOKENS : TOKENS,
  deadlineAt: addMs(clock.now(), CANARY_MS),
  isCanary: true,
})

/** Any model has more to say to this than a canary job has tokens. */
export const canaryPrompt = (model: string): ChatRequest => ({
  model,
  messages: [{ role: 'user', content: 'Count from one to twenty in words.' }],
  sampling: {},
})
