import { type Failure, Failure_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { WorkerFailureReason } from '../../messages/job.ts'
import type { Release } from './run.ts'

/** Longer ones are no message to a caller any more. */
const WORDS_MAX = 300

/** Why an attempt ends without an answer, or goes on without this worker. */
export interface Fault extends Release {
  readonly reason: WorkerFailureReason
  /** What the worker says of the request. It may quote the prompt: for the caller alone. */
  readonly words?: string | undefined
}

/**
 * What a worker's failure means to the job.
 * @param stopping the pool had asked it to stop
 * @param hasBegun some of its text has come
 */
export function readFailure(
  { reason, message }: Failure,
  stopping: boolean,
  hasBegun: boolean,
): Fault {
  switch (reason) {
    case Failure_Reason.REASON_CONTEXT_LENGTH_EXCEEDED:
      return { reason: 'context_length_exceeded', outcome: 'neutral', words: fit(message) }
    case Failure_Reason.REASON_INVALID_REQUEST:
      return { reason: 'prompt_refused', outcome: 'neutral', words: fit(message) }
    case Failure_Reason.REASON_OUT_OF_TIME:
      return { reason: 'worker_error', outcome: 'neutral' }
    case Failure_Reason.REASON_CANCELLED:
      return readGivingUp(stopping)
    case Failure_Reason.REASON_OVERLOADED:
      return hasBegun ? ENGINE_FAILED : OVERLOADED
    default:
      return ENGINE_FAILED
  }
}

const ENGINE_FAILED: Fault = {
  reason: 'worker_error',
  outcome: 'failed',
  why: 'its engine failed',
}
const OVERLOADED: Fault = {
  reason: 'worker_overloaded',
  outcome: 'busy',
  why: 'its engine had no room for a job',
}

/**
 * It says that a prompt is too long which cannot be, by its bytes and the context that it serves. The
 * caller is told so only where nobody else takes the job: often all of them ask one upstream.
 */
export const readFalseTooLong = (fault: Fault, tokensMost: number, context: number): Fault => ({
  ...fault,
  outcome: 'failed',
  why:
    `it finds a prompt of ${tokensMost} tokens at most too long, and says that it serves ${context}: ` +
    'was its engine started with less, or does it add all of max_output_tokens?',
})

/** It ends the job without an answer. Where nobody asked, an agent that does so has failed. */
export const readGivingUp = (stopping: boolean): Fault =>
  stopping
    ? { reason: 'cancelled', outcome: 'neutral' }
    : { reason: 'worker_error', outcome: 'failed', why: 'it gave up unasked' }

/** Of a message that may be of any length, and hold anything: one line. */
const fit = (message: string): string =>
  message
    .slice(0, WORDS_MAX)
    .replace(/[\p{Cc}\p{Surrogate}]+/gu, ' ')
    .trim()
