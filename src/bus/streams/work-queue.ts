import { setTimeout as sleep } from 'node:timers/promises'
import type { Consumer, ConsumerMessages, JsMsg } from 'nats'
import { type DurationMs, toUnixMs } from '../../domain/time.ts'
import type { QueueWorker, Taking, Work, WorkQueue } from '../../ports/work-queue.ts'
import { decode } from '../codec.ts'
import { unlessClosed } from '../connection/closed.ts'
import { openDurable, type QueueConsumer } from './durable-consumer.ts'
import type { StreamReader } from './read-stream.ts'

const FETCH_MS = 5_000
const BATCH = 256
const FULL_MS = 10
const RETRY_MS = 500
/** So often a queue that hands out nothing is looked at: it may have come to hand out nothing ever. */
const LOOK_MS = 30_000
/** Whose acknowledgement may have been lost when the server went: it is said again. */
const DONE_REMEMBERED = 20_000

/** One durable pull consumer. What is held is kept from being handed to others meanwhile. */
export function makeWorkQueue<Body>(reader: StreamReader, terms: QueueConsumer): WorkQueue<Body> {
  const { log } = reader
  const { name, ackWaitMs } = terms
  const take = ({ room, each }: QueueWorker<Body>): Taking => {
    const held = new Held()
    let stopped = false
    let fetched: ConsumerMessages | undefined

    const hand = (message: JsMsg): void => {
      if (!held.add(message)) return
      let body: Body
      try {
        body = decode(message.data) as Body
      } catch (error) {
        log.error({ err: error, name, sequence: message.seq }, 'queue: a message nobody can read')
        held.done(message)
        return
      }
      each(toWork(message, body, held))
    }
    /** @returns whether there was any */
    const fetch = async (consumer: Consumer, most: number): Promise<boolean> => {
      let any = false
      fetched = await consumer.fetch({ max_messages: most, expires: FETCH_MS })
      for await (const message of fetched) {
        any = true
        if (stopped) message.nak()
        else hand(message)
      }
      return any
    }
    const run = async (): Promise<void> => {
      let consumer: Consumer | undefined
      let lookedAt = 0
      while (!stopped) {
        const most = Math.min(room(), BATCH)
        if (most <= 0) {
          await sleep(FULL_MS)
          continue
        }
        try {
          if (!consumer) {
            consumer = await openDurable(reader, terms)
            lookedAt = performance.now()
          }
          // Nobody ends a fetch that begins only now.
          const any = stopped || (await fetch(consumer, most))
          if (!any && performance.now() - lookedAt > LOOK_MS) consumer = undefined
        } catch (error) {
          consumer = undefined
          if (stopped) return
          log.warn({ err: error, name }, 'queue: cannot be read, trying again')
          await sleep(RETRY_MS)
        }
      }
    }
    const running = run()
    const keeping = setInterval(() => held.keep(), ackWaitMs / 3)
    keeping.unref()
    return {
      stop: async () => {
        stopped = true
        fetched?.stop()
        await running
        held.whenEmpty(() => clearInterval(keeping))
      },
    }
  }

  return { take }
}

function toWork<Body>(message: JsMsg, body: Body, held: Held): Work<Body> {
  const { seq: sequence, info } = message
  return {
    body,
    sequence,
    storedAt: toUnixMs(Math.floor(info.timestampNanos / 1e6)),
    handed: info.deliveryCount,
    done: () => held.done(message),
    later: (span) => held.later(message, span),
  }
}

/**
 * A message, in each of its copies. A stream that was lost, or came back from a backup, counts its places again:
 * who was here before must not take what is new for what it has done.
 */
const nameOf = ({ seq, info }: JsMsg): string => `${seq} ${info.timestampNanos}`

/** The messages that this process works on. */
class Held {
  readonly #messages = new Map<string, JsMsg>()
  readonly #done = new Set<string>()
  #whenEmpty: (() => void) | undefined

  /** @returns false where there is nothing to do: it is held already, or done */
  add(message: JsMsg): boolean {
    const name = nameOf(message)
    if (this.#done.has(name)) {
      unlessClosed(() => message.ack())
      return false
    }
    const isNew = !this.#messages.has(name)
    // The newest copy is the one whose acknowledgement counts.
    this.#messages.set(name, message)
    return isNew
  }

  keep(): void {
    for (const message of this.#messages.values()) unlessClosed(() => message.working())
  }

  done(message: JsMsg): void {
    const name = nameOf(message)
    unlessClosed(() => this.#messages.get(name)?.ack())
    this.#forget(name)
    this.#done.add(name)
    if (this.#done.size > DONE_REMEMBERED) this.#done.delete(this.#done.values().next().value!)
  }

  later(message: JsMsg, span: DurationMs): void {
    const name = nameOf(message)
    unlessClosed(() => this.#messages.get(name)?.nak(span))
    this.#forget(name)
  }

  whenEmpty(call: () => void): void {
    this.#whenEmpty = call
    if (this.#messages.size === 0) call()
  }

  #forget(name: string): void {
    this.#messages.delete(name)
    if (this.#messages.size === 0) this.#whenEmpty?.()
  }
}
