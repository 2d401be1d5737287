import type { ChatRequest } from '../../domain/chat.ts'
import type { JobId } from '../../domain/ids.ts'
import type { AskPrompt, AskTextSent, EdgeMessage } from '../../messages/edge.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'

/** A request that waits for its job. */
export interface Waiter {
  readonly jobId: JobId
  readonly prompt: ChatRequest
  /** @returns whether some caller has seen some of the answer; if none has, none will of `attempt` */
  askTextSent(attempt: number | undefined): boolean
  hear(message: EdgeMessage): void
  /** Called twice a second: what is slow is noticed without a timer a request. */
  tick(): void
}

/** All requests that wait on this edge, behind one subscription. */
export interface Waiting {
  /** Where messages for them are sent. */
  readonly replyTo: string
  /** @returns ends the waiting */
  add(waiter: Waiter): () => void
  stop(): void
}

const TICK_MS = 500

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  /** Unique to this process: its inbox. */
  readonly edgeId: string
}

export function makeWaiting({ bus, clock, log, edgeId }: Options): Waiting {
  const waiters = new Map<JobId, Waiter>()
  const replyTo = SUBJECTS.edgeInbox(edgeId)

  /** A fault of one request must not reach the others that share the message. */
  const guarded = (waiter: Waiter, call: () => void) => {
    try {
      call()
    } catch (error) {
      log.error({ err: error, jobId: waiter.jobId }, 'waiting request failed')
    }
  }
  const subscription = bus.subscribe(replyTo, (said, _subject, respond) => {
    // Jobs, pools and lanes speak here.
    const batch = said as AskTextSent | readonly EdgeMessage[]
    if (!isBatch(batch)) {
      return respond(waiters.get(batch.jobId)?.askTextSent(batch.attempt) ?? false)
    }
    for (const message of batch) {
      const waiter = waiters.get(message.jobId)
      if (waiter) guarded(waiter, () => waiter.hear(message))
    }
  })
  // Nobody else has a prompt that is long, or that was offered before.
  const prompts = bus.subscribe(SUBJECTS.edgePrompt(replyTo), (message, _subject, respond) => {
    const { jobId } = message as AskPrompt // only pools ask here
    respond(waiters.get(jobId)?.prompt ?? null)
  })
  // Jobs that wait for an edge that has died stop their workers.
  const sayAlive = () => bus.publish(SUBJECTS.edges, replyTo)
  sayAlive()
  const cancelTicks = clock.every(TICK_MS, () => {
    sayAlive()
    for (const waiter of waiters.values()) guarded(waiter, () => waiter.tick())
  })

  return {
    replyTo,
    add: (waiter) => {
      waiters.set(waiter.jobId, waiter)
      return () => {
        // Another one may have taken its place.
        if (waiters.get(waiter.jobId) === waiter) waiters.delete(waiter.jobId)
      }
    },
    stop: () => {
      cancelTicks()
      subscription.unsubscribe()
      prompts.unsubscribe()
    },
  }
}

const isBatch = (said: AskTextSent | readonly EdgeMessage[]): said is readonly EdgeMessage[] =>
  Array.isArray(said)
