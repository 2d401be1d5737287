import type { DurationMs } from '../../domain/time.ts'
import type { Traceparent } from '../../domain/traceparent.ts'
import type { JobCommand } from '../../messages/job.ts'
import type { JobReply } from '../../messages/job-reply.ts'
import { partitionOf } from '../../messages/partitions.ts'
import { type Sender, SUBJECTS } from '../../messages/subjects.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../ports/bus.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'

export type JobSender = Extract<Sender, 'edge' | 'web'>

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly sender: JobSender
}

/**
 * @param lost called when a word may have arrived without its answer coming back
 * @returns undefined: nobody has answered within `withinMs`
 */
export type SayToJob = (
  command: JobCommand,
  withinMs: DurationMs,
  lost?: () => void,
  trace?: Traceparent,
) => Promise<JobReply | undefined>

const REPLY_TIMEOUT_MS = 2_000
const RETRY_FIRST_MS = 100
const RETRY_MOST_MS = 1_000

/** Says a word to a job again and again until it is answered. Where nobody hears it, hosts are told. */
export function makeSayToJob({ bus, clock, log, sender }: Options): SayToJob {
  const seldom = new Seldom(clock, log)
  return async (
    command: JobCommand,
    withinMs: DurationMs,
    lost: () => void = () => {},
    trace?: Traceparent,
  ): Promise<JobReply | undefined> => {
    const { jobId, type } = command
    const subject = SUBJECTS.jobCommand(jobId, sender)
    const until = clock.monotonic() + withinMs
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)) {
      try {
        const leftMs = Math.max(1, until - clock.monotonic())
        const timeoutMs = Math.min(REPLY_TIMEOUT_MS, leftMs)
        return await bus.request<JobReply>(subject, command, timeoutMs, trace)
      } catch (error) {
        if (error instanceof NoResponders) {
          bus.publish(SUBJECTS.orphan, { partition: partitionOf(jobId) })
        } else {
          lost()
          if (!(error instanceof RequestTimeout)) {
            seldom.warn({ err: error, jobId, command: type }, 'job: cannot be asked')
          }
        }
        if (clock.monotonic() + waitMs >= until) return undefined
        await pause(clock, waitMs)
        // Whoever stood still must not say now what nobody waits to have answered any more.
        if (clock.monotonic() >= until) return undefined
      }
    }
  }
}
