import type { DurationMs } from '../../src/domain/time.ts'
import type { Delivery } from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'
import {
  HOOK_WAITS_SECONDS,
  type HookWait,
  type WebhookQueues,
} from '../../src/ports/webhook-queues.ts'
import type { Taking, Work } from '../../src/ports/work-queue.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'
import { deliveryKey, waitFor } from './after-attempt.ts'

interface Options {
  readonly queues: WebhookQueues
  readonly clock: Clock
  readonly log: Log
}

const AT_ONCE = 64
const RETRY_MS = 1_000

/** Moves deliveries on that have waited long enough: to be attempted, or into the next line. */
export function makeWaitingLines({ queues, clock, log }: Options): {
  start(): Promise<void>
  stop(): Promise<void>
} {
  const seldom = new Seldom(clock, log)
  let takings: readonly Taking[] = []

  const line = (seconds: HookWait): Taking => {
    let active = 0
    const each = (work: Work<Delivery>): void => {
      const waitMs = leftMs(work, seconds, clock)
      if (waitMs > 0) {
        work.later(waitMs)
        return
      }
      active++
      moveOn(work)
        .then(work.done, (error) => {
          seldom.warn({ err: error }, 'webhooks: a delivery cannot leave its line, trying again')
          work.later(RETRY_MS)
        })
        .finally(() => {
          active--
        })
    }
    return queues.waiting(seconds).take({ room: () => AT_ONCE - active, each })
  }
  const moveOn = (work: Work<Delivery>): Promise<void> =>
    putFor(queues, work, work.body.dueAt - clock.now())

  return {
    start: async () => {
      takings = HOOK_WAITS_SECONDS.map(line)
    },
    stop: async () => {
      await Promise.all(takings.map((taking) => taking.stop()))
    },
  }
}

/** Of a line's span. One that was handed out before has had it, or its line looks at it once more. */
const leftMs = ({ handed, storedAt }: Work<Delivery>, seconds: HookWait, clock: Clock): number => {
  if (handed > 1) return 0
  const span = seconds * 1_000
  // The server's clock may be another than ours.
  return Math.min(span, Math.max(0, storedAt + span - clock.now()))
}

/** Puts a delivery, as it is, to where it waits for the longest span within this one. */
export const putFor = (
  queues: Pick<WebhookQueues, 'put'>,
  { body, sequence }: Pick<Work<Delivery>, 'body' | 'sequence'>,
  span: DurationMs,
): Promise<void> => queues.put(body, movedKey(body, sequence), waitFor(span))

/** No other message was ever at `sequence`. */
const movedKey = (delivery: Delivery, sequence: number): string =>
  `${deliveryKey(delivery)}.from.${sequence}`
