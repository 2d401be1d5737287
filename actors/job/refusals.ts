import type { Refusal } from '../../src/domain/errors.ts'
import type { FailWorker } from '../../src/messages/job.ts'
import type { EndedJob, RunningJob } from './state.ts'

/** What a caller is told when a job ends without an answer. */

const RETURNED = 'All credits of the job are returned.'

export function noWorker({ terms }: RunningJob): Refusal {
  return {
    code: 'no_workers_available',
    message: `No worker hosts ${terms.model} now. ${RETURNED} Try again in a few seconds, or use another model.`,
    details: { model: terms.model, retry_after: 5 },
  }
}

export function lockRefusal({ terms }: Pick<RunningJob, 'terms'>, reason: string): Refusal {
  if (reason === 'InsufficientCredits') {
    return {
      code: 'insufficient_credits',
      message: `The wallet's balance on chain does not cover the ${terms.lock} credits of this request. Buy credits in the web app.`,
      details: { credits_required: Number(terms.lock), tier: terms.tier },
    }
  }
  return {
    code: 'internal_error',
    message: `The escrow contract refused to lock the credits (${reason}). Nothing was charged; try again.`,
  }
}

export function failureRefusal({ terms }: RunningJob, failure: FailWorker): Refusal {
  switch (failure.reason) {
    case 'context_length_exceeded':
      return {
        code: 'context_length_exceeded',
        message: `${failure.message ?? `The messages exceed the context window of ${terms.model}.`} ${RETURNED}`,
        param: 'messages',
      }
    case 'prompt_refused':
      return {
        code: 'invalid_request',
        message: `The worker's engine refused the request: ${failure.message ?? 'it gave no reason'}. ${RETURNED}`,
      }
    default:
      return {
        code: 'internal_error',
        message: `The worker was lost before the answer was complete (${failure.reason}). ${RETURNED} Try again.`,
      }
  }
}

export const tooManyAttempts = (): Refusal => ({
  code: 'internal_error',
  message: `No worker could finish the job. ${RETURNED} Try again.`,
})

export const tornAnswer = (): Refusal => ({
  code: 'internal_error',
  message: `The worker was lost in the middle of the answer. ${RETURNED} Try again.`,
})

export const cancelled = (): Refusal => ({
  code: 'internal_error',
  message: `The caller hung up before anything was generated. ${RETURNED}`,
})

export const settlementRefusal = (reason: string): Refusal => ({
  code: 'internal_error',
  message: `The escrow contract refused the worker's proof (${reason}). ${RETURNED}`,
})

export const refundedOnChain = (): Refusal => ({
  code: 'internal_error',
  message: 'The lock was refunded on chain before the job was settled.',
})

export function timeout({ terms }: RunningJob): Refusal {
  const seconds = Math.round((terms.deadlineAt - terms.createdAt) / 1000)
  return {
    code: 'job_timeout',
    message: `No worker finished the job within ${seconds} s. The credits are returned.`,
    details: { job_id: terms.id, credits_refunded: Number(terms.lock) },
  }
}

/** The refusal with what became known after it was decided: the refund's transaction. */
export function completeRefusal({ refusal, escrow }: EndedJob): Refusal {
  if (refusal.code !== 'job_timeout' || escrow.at !== 'returned') return refusal
  return { ...refusal, details: { ...refusal.details, refund_tx: escrow.refundTx } }
}
