import type { ChatRequest } from '../../domain/chat.ts'
import type { AskPrompt } from '../../messages/edge.ts'
import type { OfferJob } from '../../messages/pool.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'

const RETRY_MS = [100, 300, 900] as const
/** A long one is megabytes. */
const EDGE_ANSWER_MS = 2_000

interface Deps {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

/** Asks the edge whose caller waits for a job's prompt. Undefined where that has gone. Never rejects. */
export async function askPrompt(job: OfferJob, deps: Deps): Promise<ChatRequest | undefined> {
  const { clock, log } = deps
  for (let tried = 0; ; tried++) {
    try {
      return await askEdge(job, deps)
    } catch (error) {
      const waitMs = RETRY_MS[tried]
      if (waitMs === undefined) {
        log.warn({ jobId: job.jobId, err: error }, 'prompt cannot be had of its edge')
        return undefined
      }
      await pause(clock, waitMs)
    }
  }
}

async function askEdge({ jobId, replyTo }: OfferJob, { bus }: Deps) {
  const ask: AskPrompt = { jobId }
  const subject = SUBJECTS.edgePrompt(replyTo)
  return (await bus.request<ChatRequest | null>(subject, ask, EDGE_ANSWER_MS)) ?? undefined
}
