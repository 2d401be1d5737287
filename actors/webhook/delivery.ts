import type { DurationMs } from '../../src/domain/time.ts'
import type { WalletWebhooks } from '../../src/messages/webhook.ts'
import { pause } from '../../src/ports/clock.ts'
import type { Mirror } from '../../src/ports/mirror.ts'
import type { Taking } from '../../src/ports/work-queue.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'
import { attemptOf, notTried, waitFor } from './after-attempt.ts'
import { type AttemptOptions, makeAttempt, type Owed, RETRY_MS, type TakerOf } from './attempt.ts'
import { makeKnownWebhook, takes } from './known-webhook.ts'
import { makeLanes } from './lanes.ts'
import { putFor } from './waiting-lines.ts'

export interface DeliveryOptions extends AttemptOptions {
  /** Bucket WEBHOOKS. */
  readonly webhooks: Mirror<WalletWebhooks>
}

const HELD_MOST = 4_000
const PUT_BACK_LEAST_MS = 5_000
/** An endpoint that hung is not forgotten for longer than this once it answers again. */
const PUT_BACK_MOST_MS = 300_000
/** Longer than any attempt. */
const STOP_MS = 12_000
const LOOK_MS = 20

/** Makes the attempts that are due: some at a time for each webhook, so that none waits for another's. */
export function makeDelivery(options: DeliveryOptions): {
  start(): Promise<void>
  stop(): Promise<void>
} {
  const { queues, history, clock, log } = options
  // Of thousands that are held each is tried again every second.
  const seldom = new Seldom(clock, log)
  const knownWebhook = makeKnownWebhook(options)
  let taking: Taking | undefined
  /** Handed over, and in no lane yet. */
  let arriving = 0
  let leaving = false
  const lanes = makeLanes<Owed>({ heldMost: HELD_MOST, run: (_, work) => attempt(work) })

  const each = (work: Owed): void => {
    arriving++
    arrive(work)
      .catch((error) => {
        seldom.warn({ err: error }, 'webhooks: a delivery is put off')
        work.later(RETRY_MS)
      })
      .finally(() => {
        arriving--
      })
  }

  const arrive = async (work: Owed): Promise<void> => {
    const { body } = work
    const early = body.dueAt - clock.now()
    const wait = waitFor(early)
    if (wait > 0) return move(work, early)
    if (early > 0) await pause(clock, early)
    const webhook = await takerOf(work)
    if (!webhook) return
    // Nothing begins any more.
    if (leaving) return work.later(0)
    if (lanes.push(webhook.id, work)) return
    const patience = lanes.patienceMs(webhook.id)
    await move(work, Math.min(PUT_BACK_MOST_MS, Math.max(PUT_BACK_LEAST_MS, patience)))
  }

  const takerOf: TakerOf = async (work) => {
    const webhook = await knownWebhook(work.body)
    if (webhook && takes(webhook, work.body)) return webhook
    if (webhook) await giveUp(work)
    // Deleted: what was owed to it is gone with it.
    else work.done()
    return undefined
  }

  const move = async (work: Owed, span: DurationMs): Promise<void> => {
    await putFor(queues, work, span)
    work.done()
  }

  const giveUp = async (work: Owed): Promise<void> => {
    const now = clock.now()
    await history.append(attemptOf(work.body, notTried, { at: now, endedAt: now, schedule: [] }))
    work.done()
  }

  const attempt = makeAttempt(options, takerOf)

  return {
    start: async () => {
      taking = queues.due.take({ room: () => HELD_MOST - lanes.held - arriving, each })
    },
    stop: async () => {
      leaving = true
      await taking?.stop()
      for (const work of lanes.stop()) work.later(0)
      const deadline = clock.monotonic() + STOP_MS
      while (lanes.held > 0 && clock.monotonic() < deadline) await pause(clock, LOOK_MS)
    },
  }
}
