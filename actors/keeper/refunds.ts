import type { JobId } from '../../src/domain/ids.ts'
import type { JobReply } from '../../src/messages/job-reply.ts'
import type { JobStatus } from '../../src/messages/job-view.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, isUnanswered } from '../../src/ports/bus.ts'
import type { DueRefund } from './due.ts'
import type { Hands } from './hands.ts'

interface Options {
  readonly bus: Bus
  readonly hands: Hands
}

const TIMEOUT_MS = 2_000
/** Of jobs that end by themselves, and ask for their lock back where they do without an answer. */
const RUNNING: readonly JobStatus[] = ['pending', 'processing']
/** A job that hopes to be settled is asked again after so long. */
const ASK_AGAIN_MS = 10_000
/** At once: of a host that hangs none answers in time, and what comes after the refunds waits for them. */
const ASKS_MAX = 8

/**
 * Gives one expired lock back. Its job is asked first: one that was answered keeps its lock for a
 * while, or its worker would go without pay. It waits for its settlement, or takes itself for settled
 * since the chain has gone back. One that runs keeps it too: the chain's time has jumped.
 * @returns whether something was done
 */
export function makeRefunds({ bus, hands }: Options) {
  return async (refunds: readonly DueRefund[]): Promise<boolean> => {
    const ready = refunds.filter((each) => hands.isReady(callOf(each)))
    // An overdue one that is the first is asked for nothing, and so is nobody behind it.
    const some = ready.slice(0, ready[0]?.isOverdue ? 1 : ASKS_MAX)
    const mayEnd = await Promise.all(
      some.map(async ({ jobId, isOverdue }) => isOverdue || !(await mayBeSettled(bus, jobId))),
    )
    some.forEach((each, i) => {
      if (!mayEnd[i]) hands.rest(callOf(each), ASK_AGAIN_MS)
    })
    const first = some.find((_, i) => mayEnd[i])
    return first !== undefined && (await hands.perform(callOf(first))) === 'done'
  }
}

const callOf = ({ jobId }: DueRefund) => ({ type: 'refund', jobId }) as const

async function mayBeSettled(bus: Bus, jobId: JobId): Promise<boolean> {
  const question = { type: 'GetJob', jobId } as const
  try {
    const reply = await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), question, TIMEOUT_MS)
    if (reply.type !== 'accepted') return false
    return reply.proof !== undefined || RUNNING.includes(reply.view.status)
  } catch (error) {
    // Nobody can say what the job hopes for.
    if (isUnanswered(error)) return true
    throw error
  }
}
