import type { ChatRequest } from '../domain/chat.ts'
import type { AskPrompt } from '../messages/edge.ts'
import type { OfferJob } from '../messages/pool.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import type { Bus } from '../ports/bus.ts'
import { type Clock, pause } from '../ports/clock.ts'
import type { Outputs } from '../ports/outputs.ts'
import type { Log } from '../telemetry/log.ts'

const RETRY_MS = [100, 300, 900] as const
const EDGE_ANSWER_MS = 1_000

interface Deps {
  readonly outputs: Outputs
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

/**
 * Reads a job's prompt: from the store, or, where that has lost it or does not answer, from the edge
 * whose caller still waits. Undefined where neither has it. Never rejects.
 */
export async function readPrompt(job: OfferJob, deps: Deps): Promise<ChatRequest | undefined> {
  const { clock, log } = deps
  for (let tried = 0; ; tried++) {
    try {
      return (await readStored(job, deps)) ?? (await askEdge(job, deps))
    } catch (error) {
      log.warn({ jobId: job.jobId, tried, err: error }, 'prompt cannot be had')
    }
    const waitMs = RETRY_MS[tried]
    if (waitMs === undefined) return undefined
    await pause(clock, waitMs)
  }
}

async function readStored({ wallet, jobId }: OfferJob, { outputs, log }: Deps) {
  try {
    return await outputs.prompt(wallet, jobId)
  } catch (error) {
    log.warn({ jobId, err: error }, 'prompt cannot be read from the store')
    return undefined
  }
}

async function askEdge({ jobId, replyTo }: OfferJob, { bus }: Deps) {
  const ask: AskPrompt = { jobId }
  const subject = SUBJECTS.edgePrompt(replyTo)
  return (await bus.request<ChatRequest | null>(subject, ask, EDGE_ANSWER_MS)) ?? undefined
}
