import {
  type Completion,
  type Failure,
  Failure_Reason,
  Completion_FinishReason as Finish,
  Refusal_Reason,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Flaw } from '../../messages/strikes.ts'
import type { OfferedJob } from '../attempt/offer.ts'
import { CANARY_MS } from './canary-job.ts'

/** What a canary job has shown. */
export type Verdict =
  | { readonly type: 'passed' }
  /** `why`: what was wrong, and what the operator does about it. */
  | { readonly type: 'failed'; readonly why: string }
  /** All of its tokens went into thinking: it may have more of them. */
  | { readonly type: 'thought' }
  /** Nothing: the worker is busy, leaves, or has said that it does not serve the model. */
  | { readonly type: 'nothing' }

/** What a worker sends may be as long as it likes. */
const MESSAGE_CHARS_MAX = 300
/** Far more than any tokenizer makes of plain words: a count below it has missed most tokens. */
const UNITS_PER_TOKEN_MAX = 32
const CONTROL = /\p{C}/gu

/** An answer whose proof holds: is it what a caller should get? */
export function readAnswer(text: string, claim: Completion, job: OfferedJob): Verdict {
  const { outputTokens, finishReason } = claim
  if (finishReason === Finish.FINISH_REASON_CONTENT_FILTER) {
    return failed('its content filter stopped a harmless answer: loosen the filter')
  }
  if (finishReason !== Finish.FINISH_REASON_STOP && finishReason !== Finish.FINISH_REASON_LENGTH) {
    return failed(`its completion has no finish reason: ${UPDATE}`)
  }
  if (text === '') {
    return finishReason === Finish.FINISH_REASON_LENGTH
      ? { type: 'thought' }
      : failed(`it answered without a word: see what the inference server says of ${job.model}`)
  }
  if (text.length > outputTokens * UNITS_PER_TOKEN_MAX) {
    return failed(
      `it counts ${outputTokens} output tokens for ${text.length} characters of text, and is paid ` +
        'by that count: look at the usage that the inference server reports',
    )
  }
  return { type: 'passed' }
}

/** A proof or text that breaks the rules. */
export const readFlaw = ({ kind, text }: Flaw): Verdict =>
  failed(kind === 'wrong_clock' ? text : `${text}: ${UPDATE}`)

export function readFailed({ reason, message }: Failure, { model }: OfferedJob): Verdict {
  const told = message.replace(CONTROL, ' ').trim().slice(0, MESSAGE_CHARS_MAX)
  switch (reason) {
    case Failure_Reason.REASON_CONTEXT_LENGTH_EXCEEDED:
      return failed(
        `it finds a prompt of seven words too long: what context has ${model}? (${told})`,
      )
    case Failure_Reason.REASON_INVALID_REQUEST:
      return failed(`its engine refused a plain request of ${model}: ${told}`)
    case Failure_Reason.REASON_OUT_OF_TIME:
      return OVERDUE
    case Failure_Reason.REASON_CANCELLED:
      return GAVE_UP
    case Failure_Reason.REASON_OVERLOADED:
      return failed(
        `its inference server had no room for it: ${told}. It is tried again; where this lasts, ` +
          'give that server more room',
      )
    default:
      return failed(`its engine failed: ${told}. Is the inference server up, and has it ${model}?`)
  }
}

/** A refusal for want of a slot, or by one that leaves, shows nothing. */
export function readRefusal(reason: Refusal_Reason): Verdict {
  switch (reason) {
    case Refusal_Reason.REASON_BUSY:
    case Refusal_Reason.REASON_DRAINING:
    case Refusal_Reason.REASON_MODEL_NOT_SERVED:
      return { type: 'nothing' }
    case Refusal_Reason.REASON_TOO_LATE:
      return OVERDUE
    default:
      return failed(`it refused the job: ${UPDATE}`)
  }
}

const failed = (why: string): Verdict => ({ type: 'failed', why })

const UPDATE = 'update the agent'

/** Not finished by its deadline. */
export const OVERDUE = failed(
  `it was not finished within ${CANARY_MS / 1_000} s: the engine is too slow, or still loads the model`,
)
/** It had accepted, and nobody asked it to stop. */
export const GAVE_UP = failed(`it gave up unasked: ${UPDATE}`)
/** It thought again, with room to say something. */
export const SPEECHLESS = failed(
  'all of its tokens went into thinking, and it never answered: make it think less',
)
