import type { FastifyError } from 'fastify'
import { publicHash } from '../../domain/hash.ts'
import type { Hex32 } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { assert } from '../../domain/result.ts'
import type { DisputeRefusal } from '../../messages/dispute.ts'
import type { JobView } from '../../messages/job-view.ts'
import { RefusalError, refuse } from '../http/errors.ts'
import { unknownJob } from './unknown-job.ts'

/** The answer of the specification; where no dispute opened, the fields that speak of one are null. */
export function disputeAnswer(view: JobView, receivedHash: Hex32, isOpened: boolean) {
  assert(view.proofHash, 'a job that can be contested has a proof')
  return {
    job_id: view.id,
    dispute_opened: isOpened,
    your_hash: publicHash(receivedHash),
    worker_hash: publicHash(view.proofHash),
    dispute_tx: isOpened ? view.disputeTx : null,
    arbitration_window_hours: isOpened ? LIMITS.arbitrationWindowHours : null,
  }
}

/** Whatever is wrong with the body is wrong with the one thing that it holds. */
export function blameTheHash(error: FastifyError | RefusalError): never {
  if (error instanceof RefusalError) throw error
  throw error.statusCode === 400 || error.statusCode === 415 ? malformedHash() : error
}

export const malformedHash = () =>
  refuse(
    'invalid_request',
    '`received_output_hash` must be `sha256:` and 64 hexadecimal digits, in a JSON object: the SHA-256 of the text as received, without trailing newlines.',
    { param: 'received_output_hash' },
  )

export const unknownOutcome = () =>
  refuse(
    'service_unavailable',
    'The job cannot be reached at the moment. Look at the job before trying again: it may have taken the dispute.',
  )

export function whyNotDisputed(code: DisputeRefusal, { id, status }: JobView): string {
  switch (code) {
    case 'job_not_found':
      return unknownJob(id).message
    case 'job_not_completed':
      return `Job \`${id}\` is ${status} and has no finished output; only a finished output can be disputed.`
    case 'dispute_already_open':
      return `Job \`${id}\` has been disputed already; GET /v1/jobs/${id} shows what became of it.`
    case 'dispute_window_expired':
      return `The output of job \`${id}\` can no longer be disputed: the window counts from its final token and never extends.`
  }
}
