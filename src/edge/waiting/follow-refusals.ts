import type { Refusal } from '../../domain/errors.ts'
import type { TxHash } from '../../domain/ids.ts'
import type { Completed } from './outcome.ts'
import type { WaitedJob } from './waited-job.ts'

/** What a caller is told where its edge, and not the job, knows that there is no answer. */

const internal = (message: string): Refusal => ({ code: 'internal_error', message })

export const lostJob = (): Refusal => internal('The job was lost. Trying again usually succeeds.')

/** No word of the job's end long after it must have come: only a job that was refunded is a 504. */
export const endUnknown = ({ jobId }: WaitedJob): Refusal =>
  internal(
    `What became of job ${jobId} is not known here at the moment: GET /v1/jobs/${jobId} tells ` +
      'whether it was refunded. Sent again with the same `Idempotency-Key` it is not charged twice.',
  )

/** No word of the job for so long that its caller should not wait on. */
export const inDoubt = (): Refusal => ({
  code: 'service_unavailable',
  message:
    'It is not known at the moment whether the request was taken on. Sent again with the same ' +
    '`Idempotency-Key` it is not charged twice.',
})

/** Not a fault that a repetition heals: the answer was given, and its text was lost or is no longer kept. */
export const answerGone = ({ jobId, charged }: Completed): Refusal => ({
  code: 'answer_gone',
  message:
    `Job ${jobId} has answered this request and is charged, but the text of its answer is lost, ` +
    'or no longer kept. To have it answered anew, as a new job, send it as a new request: with another ' +
    '`Idempotency-Key`, or not as a retry.',
  details: { job_id: jobId, credits_charged: Number(charged) },
})

/** The caller has seen how a worker began that was lost, and what the job is charged for is the answer of another one. */
export const answeredAnew = ({ jobId, charged }: Completed): Refusal => ({
  code: 'answer_gone',
  message:
    `The worker was lost in the middle of this answer, and another one has answered job ${jobId} anew, ` +
    'which is charged: what you have is no part of that answer. Sent again with the same `Idempotency-Key` ' +
    'it gets that answer, and is not charged twice.',
  details: { job_id: jobId, credits_charged: Number(charged) },
})

/** The store may have it, and does not say so now. */
export const answerUnreadable = (): Refusal => ({
  code: 'service_unavailable',
  message:
    'The answer is there, and its job is charged, but it cannot be read at the moment. Sent again with ' +
    'the same `Idempotency-Key` it is not charged twice.',
})

export const timedOut = (
  { jobId, lock }: WaitedJob,
  refundTx: TxHash | null | undefined,
): Refusal => ({
  code: 'job_timeout',
  message: 'No worker finished the job in time. Its credits return to the balance.',
  details: {
    job_id: jobId,
    credits_refunded: Number(lock),
    ...(refundTx ? { refund_tx: refundTx } : {}),
  },
})
