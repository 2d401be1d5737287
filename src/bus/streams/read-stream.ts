import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  nanos,
} from 'nats'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import { isClosed } from '../connection/closed.ts'
import type { StreamName } from './streams.ts'

export interface StreamReader {
  readonly stream: StreamName
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly log: Log
}

interface Reading {
  /** The first sequence that is wanted. */
  readonly from: number
  /** Most messages that are fetched, and handed over, at once. */
  readonly batch: number
  /** The next batch is fetched once this has resolved; what it throws ends the reading. */
  readonly each: (messages: readonly JsMsg[]) => Promise<void> | void
}

const FETCH_MS = 2_000

/**
 * Reads a stream up to its present end, in order. Pulled in batches by a consumer of our own;
 * should the server forget it, a new one goes on where it was. The end is a sequence asked for
 * before each: the server's count of what is pending drifts while others append.
 */
export async function readStream(reader: StreamReader, reading: Reading): Promise<void> {
  let next = Math.max(1, reading.from)
  let failure: { readonly error: unknown } | undefined
  const hand = async (messages: readonly JsMsg[]): Promise<void> => {
    try {
      await reading.each(messages)
    } catch (error) {
      // Of the one who reads, not of the server: nothing that another try would heal.
      failure = { error }
    }
  }
  const { js, jsm, stream, log } = reader
  const seldom = seldomTelling(log)
  await untilAnswered(async () => {
    const { state } = await jsm.streams.info(stream)
    // What was there a moment ago may have aged out: nobody would ever send it.
    if (state.messages === 0 || next > state.last_seq) return
    const info = await jsm.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: next,
      inactive_threshold: nanos(30_000),
      mem_storage: true,
      num_replicas: 1,
    })
    const consumer = await js.consumers.get(stream, info.name)
    let delivered = 0
    while (next <= state.last_seq && !failure) {
      const messages: JsMsg[] = []
      const fetched = await consumer.fetch({ max_messages: reading.batch, expires: FETCH_MS })
      for await (const message of fetched) {
        // What a broken connection did not bring is not sent again: a new consumer begins before it.
        if (message.info.deliverySequence !== ++delivered) throw new Error('messages were lost')
        messages.push(message)
        if (message.seq >= state.last_seq) break
      }
      if (messages.length === 0) throw new Error('the server sent nothing of what it holds')
      await hand(messages)
      next = messages.at(-1)!.seq + 1
    }
    await jsm.consumers.delete(stream, info.name)
  }, seldom)
  if (failure) throw failure.error
}

/** Every job has something to write or to read while a server is away, and tries again each second. */
export const seldomTelling = (log: Log): Seldom =>
  new Seldom({ monotonic: () => performance.now() }, log)

/** Repeats an idempotent read until the server answers it, or we have closed the connection. */
export async function untilAnswered<T>(read: () => Promise<T>, seldom: Seldom): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (isClosed(error)) throw error
      seldom.warn({ err: error, attempt }, 'stream: read not answered, trying again')
      await sleep(Math.min(50 * 2 ** attempt, 1_000))
    }
  }
}
