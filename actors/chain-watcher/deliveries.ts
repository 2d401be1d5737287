import type { JobCommand } from '../../src/messages/job.ts'
import type { JobReply } from '../../src/messages/job-reply.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, isUnanswered } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { makeLines } from '../../src/runtime/lines.ts'
import type { Log } from '../../src/telemetry/log.ts'

/**
 * Hands each command to its job until the job has taken it: to one job in the order given, since a
 * dispute follows its settlement and a verdict its dispute; to many jobs side by side.
 */
export interface Deliveries {
  /** `taken` is called once, unless `stop` comes first. */
  deliver(command: JobCommand, taken: () => void): void
  stop(): void
}

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

interface Delivery {
  readonly command: JobCommand
  readonly taken: () => void
}

const TIMEOUT_MS = 2_000

export function makeDeliveries({ bus, clock, log }: Options): Deliveries {
  const lines = makeLines<Delivery>({
    clock,
    keyOf: ({ command }) => command.jobId,
    attempt: async ({ command }) => {
      const { jobId, type } = command
      const reply = await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), command, TIMEOUT_MS)
      if (reply.type !== 'accepted') log.warn({ jobId, type, reply }, 'watcher: fact not wanted')
    },
    done: ({ taken }) => taken(),
    failed: (error, { command: { jobId, type } }) => {
      if (isUnanswered(error)) return
      log.error({ err: error, jobId, type }, 'watcher: delivery failed, trying again')
    },
  })
  return {
    deliver: (command, taken) => lines.push({ command, taken }),
    stop: lines.stop,
  }
}
