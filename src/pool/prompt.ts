import type { ChatRequest } from '../domain/chat.ts'
import type { OfferJob } from '../messages/pool.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'

const RETRY_MS = [100, 300, 900] as const

/** Reads a job's prompt; undefined where it is gone or cannot be had. Never rejects. */
export async function readPrompt(
  job: OfferJob,
  { outputs, clock, log }: { outputs: Outputs; clock: Clock; log: Log },
): Promise<ChatRequest | undefined> {
  for (let tried = 0; ; tried++) {
    try {
      return await outputs.prompt(job.wallet, job.jobId)
    } catch (error) {
      log.warn({ jobId: job.jobId, tried, err: error }, 'prompt cannot be read')
      const waitMs = RETRY_MS[tried]
      if (waitMs === undefined) return undefined
      await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    }
  }
}
