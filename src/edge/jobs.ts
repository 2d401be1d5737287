import type { JobId } from '../domain/ids.ts'
import type { DurationMs } from '../domain/time.ts'
import type { CancelJob, GetJob, JobCommand, JobReply, StartJob } from '../messages/job.ts'
import { partitionOf, SUBJECTS } from '../messages/subjects.ts'
import { type Bus, NoResponders, RequestTimeout } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'

const REPLY_TIMEOUT_MS = 2_000
const RETRY_FIRST_MS = 100
const RETRY_MOST_MS = 1_000
const START_WITHIN_MS = 8_000
const CANCEL_WITHIN_MS = 10_000
const GET_WITHIN_MS = 4_000

/** What the edge says to jobs. Their owner may be changing hosts: every word is repeated. */
export interface Jobs {
  /** `unknown`: nobody answered, so it is not known whether the job exists. */
  start(command: StartJob): Promise<JobReply | 'unknown'>
  /** Returns at once; repeated in the background until the job has it. */
  cancel(jobId: JobId, why?: Pick<CancelJob, 'torn'>): void
  /** Undefined: nobody answers for this job at the moment. */
  get(jobId: JobId): Promise<JobReply | undefined>
  /** Resolves when no cancellation is under way any more. */
  settled(): Promise<void>
}

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

export function makeJobs({ bus, clock, log }: Options): Jobs {
  const cancelling = new Set<Promise<void>>()

  const say = async (command: JobCommand, withinMs: DurationMs): Promise<JobReply | undefined> => {
    const { jobId, type } = command
    const until = clock.monotonic() + withinMs
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)) {
      try {
        const leftMs = Math.max(1, until - clock.monotonic())
        const timeoutMs = Math.min(REPLY_TIMEOUT_MS, leftMs)
        return await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), command, timeoutMs)
      } catch (error) {
        if (error instanceof NoResponders) {
          bus.publish(SUBJECTS.orphan, { partition: partitionOf(jobId) })
        } else if (!(error instanceof RequestTimeout)) {
          log.warn({ err: error, jobId, command: type }, 'job: cannot be asked')
        }
        if (clock.monotonic() + waitMs >= until) return undefined
        await new Promise<void>((resolve) => clock.after(waitMs, resolve))
      }
    }
  }

  const cancel = async (jobId: JobId, why?: Pick<CancelJob, 'torn'>): Promise<void> => {
    const command: CancelJob = { type: 'CancelJob', jobId, ...why, at: clock.now() }
    const reply = await say(command, CANCEL_WITHIN_MS)
    if (reply === undefined) log.warn({ jobId }, 'job: cancellation was not acknowledged')
  }

  return {
    start: async (command) => (await say(command, START_WITHIN_MS)) ?? 'unknown',
    cancel: (jobId, why) => {
      const done = cancel(jobId, why).finally(() => cancelling.delete(done))
      cancelling.add(done)
    },
    get: (jobId) => {
      const command: GetJob = { type: 'GetJob', jobId }
      return say(command, GET_WITHIN_MS)
    },
    settled: async () => {
      await Promise.all(cancelling)
    },
  }
}
