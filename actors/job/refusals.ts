import type { FailWorker } from '../../src/messages/job.ts'
import type { CompletedJob } from './completed.ts'
import type { RunningJob } from './running.ts'
import type { EndedJob } from './state.ts'
import type { JobRefusal } from './terms.ts'

/** What a caller is told when a job ends without an answer. */

const RETURNED = 'All credits of the job are returned.'

export const noWorker = ({ terms }: RunningJob): JobRefusal =>
  tooFewWorkers(terms.model, `No worker hosts ${terms.model} now.`)

/** Those that took it had no room for it in the end, and nobody was at fault. */
const allBusy = ({ terms }: RunningJob): JobRefusal => ({
  ...tooFewWorkers(terms.model, `All workers that host ${terms.model} are busy now.`),
  reason: 'worker_overloaded',
})

const tooFewWorkers = (model: string, what: string): JobRefusal => ({
  code: 'no_workers_available',
  message: `${what} ${RETURNED} Try again in a few seconds, or use another model.`,
  param: 'model',
  details: { model, retry_after: 5 },
})

export function lockRefusal({ terms }: Pick<RunningJob, 'terms'>, reason: string): JobRefusal {
  if (reason === 'InsufficientCredits') {
    return {
      code: 'insufficient_credits',
      message: `The wallet's balance on chain does not cover the ${terms.lock} credits of this request. Buy credits in the web app.`,
      details: { credits_required: Number(terms.lock), tier: terms.tier },
    }
  }
  if (reason === 'SpendLimitReached') {
    return {
      code: 'insufficient_credits',
      message: `The ${terms.lock} credits of this request are more than the wallet's own limit for a day (UTC) leaves. Ask with a lower max_tokens, raise the limit on chain, or wait for the next day.`,
      details: { credits_required: Number(terms.lock), tier: terms.tier },
    }
  }
  if (reason === 'Paused') {
    return {
      code: 'service_unavailable',
      message: 'New jobs are paused on the settlement chain. Nothing was charged; try again later.',
      reason: 'paused',
    }
  }
  return {
    code: 'internal_error',
    message: `The escrow contract refused to lock the credits (${reason}). Nothing was charged; try again.`,
    reason: 'lock_refused',
  }
}

export function failureRefusal(job: RunningJob, failure: FailWorker): JobRefusal {
  const { terms } = job
  switch (failure.reason) {
    case 'context_length_exceeded':
      return {
        code: 'context_length_exceeded',
        message: `The messages exceed the context window of ${terms.model}. ${RETURNED}`,
        param: 'messages',
      }
    case 'prompt_refused':
      return {
        code: 'invalid_request',
        message: `The worker's engine refused the request. ${RETURNED}`,
        reason: 'prompt_refused',
      }
    case 'worker_overloaded':
      return unfinished(job)
    default:
      return {
        code: 'internal_error',
        message: `The worker was lost before the answer was complete (${failure.reason}). ${RETURNED} Try again.`,
        reason: failure.reason,
      }
  }
}

export const tooManyAttempts = (): JobRefusal => ({
  code: 'internal_error',
  message: `No worker could finish the job. ${RETURNED} Try again.`,
  reason: 'attempts_exhausted',
})

/** Nobody is left to take it: it ran into a fault, or found all of them busy. */
export const unfinished = (job: RunningJob): JobRefusal =>
  job.hasFault ? tooManyAttempts() : allBusy(job)

export const tornAnswer = (): JobRefusal => ({
  code: 'internal_error',
  message: `The worker was lost in the middle of the answer. ${RETURNED} Try again.`,
  reason: 'worker_lost',
})

/** Read by a caller who did not hang up: its edge was not heard of, or the same request comes again. */
export const cancelled = (): JobRefusal => ({
  code: 'service_unavailable',
  message: `The connection to the caller was lost before any of the answer had reached it. ${RETURNED} Try again.`,
  reason: 'cancelled',
})

export const settlementRefusal = (reason: string): JobRefusal => ({
  code: 'internal_error',
  message: `The escrow contract refused the worker's proof (${reason}). ${RETURNED}`,
  reason: 'settlement_refused',
})

export const refundedOnChain = (): JobRefusal => ({
  code: 'internal_error',
  message: 'The lock was refunded on chain before the job was settled.',
  reason: 'refunded_on_chain',
})

/** For who asks again with the same idempotency key: text is never journalled. */
export const lostAnswer = ({ terms, charged }: CompletedJob): JobRefusal => ({
  code: 'answer_gone',
  message: 'The job was answered and settled, but its answer is not kept any more.',
  details: { job_id: terms.id, credits_charged: Number(charged) },
})

export function timeout({ terms }: RunningJob): JobRefusal {
  const seconds = Math.round((terms.deadlineAt - terms.createdAt) / 1000)
  return {
    code: 'job_timeout',
    message: `No worker finished the job within ${seconds} s. The credits are returned.`,
    details: { job_id: terms.id, credits_refunded: Number(terms.lock) },
  }
}

/** The refusal with what became known after it was decided: the refund's transaction. */
export function completeRefusal({ refusal, escrow }: EndedJob): JobRefusal {
  if (refusal.code !== 'job_timeout' || escrow.at !== 'returned') return refusal
  return { ...refusal, details: { ...refusal.details, refund_tx: escrow.refundTx } }
}
