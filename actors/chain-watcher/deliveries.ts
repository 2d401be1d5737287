import type { JobCommand, JobReply } from '../../src/messages/job.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** Hands each command to its job until the job has taken it. */
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
  waitMs: number
}

const PARALLEL_MAX = 256
const TIMEOUT_MS = 2_000
const RETRY_MIN_MS = 50
const RETRY_MAX_MS = 2_000

export function makeDeliveries({ bus, clock, log }: Options): Deliveries {
  const waiting: Delivery[] = []
  let active = 0
  let stopped = false

  const pump = () => {
    while (active < PARALLEL_MAX && !stopped) {
      const delivery = waiting.shift()
      if (!delivery) return
      active++
      void attempt(delivery).finally(() => {
        active--
        pump()
      })
    }
  }
  const again = (delivery: Delivery) => {
    waiting.push(delivery)
    pump()
  }
  const attempt = async (delivery: Delivery): Promise<void> => {
    const { jobId, type } = delivery.command
    const subject = SUBJECTS.jobCommand(jobId)
    try {
      const reply = await bus.request<JobReply>(subject, delivery.command, TIMEOUT_MS)
      if (stopped) return
      if (reply.type !== 'accepted') log.warn({ jobId, type, reply }, 'watcher: fact not wanted')
      delivery.taken()
    } catch (error) {
      // Its partition is between two owners, perhaps: the slot is free for others meanwhile.
      if (!(error instanceof NoResponders) && !(error instanceof RequestTimeout)) {
        log.error({ err: error, jobId, type }, 'watcher: delivery failed, trying again')
      }
      clock.after(delivery.waitMs, () => again(delivery))
      delivery.waitMs = Math.min(RETRY_MAX_MS, delivery.waitMs * 2)
    }
  }
  return {
    deliver: (command, taken) => again({ command, taken, waitMs: RETRY_MIN_MS }),
    stop: () => {
      stopped = true
      waiting.length = 0
    },
  }
}
