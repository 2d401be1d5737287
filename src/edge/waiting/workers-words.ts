import type { Refusal } from '../../domain/errors.ts'
import type { JobId } from '../../domain/ids.ts'
import type { Outputs } from '../../ports/outputs.ts'
import type { Log } from '../../telemetry/log.ts'

/** What a job that has begun ends with where its worker finds the request at fault. */
const OF_THE_REQUEST: ReadonlySet<Refusal['code']> = new Set([
  'context_length_exceeded',
  'invalid_request',
])

interface Deps {
  readonly outputs: Outputs
  readonly log: Log
}

/**
 * What a job says of its end, and what the worker said of the request. That may quote the prompt, so the job
 * does not know it: the store keeps it for a while.
 */
export async function withWorkersWords(
  refusal: Refusal,
  jobId: JobId,
  { outputs, log }: Deps,
): Promise<Refusal> {
  if (!OF_THE_REQUEST.has(refusal.code)) return refusal
  try {
    const words = await outputs.words(jobId)
    return words ? { ...refusal, message: `${refusal.message} The worker said: ${words}` } : refusal
  } catch (error) {
    log.warn({ jobId, err: error }, 'what the worker said of the request cannot be read')
    return refusal
  }
}
