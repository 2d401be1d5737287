import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  DeliverPolicy,
  ErrorCode,
  type JetStreamClient,
  type JetStreamManager,
  NatsError,
  nanos,
} from 'nats'
import type { Journal, JournalRecord, StoredRecord } from '../ports/journal.ts'
import type { Log } from '../telemetry/log.ts'
import { decode, encode } from './codec.ts'
import type { StreamName } from './streams.ts'

const WRONG_LAST_SEQUENCE = 10_071
const MESSAGE_NOT_FOUND = 10_037
const APPEND_TIMEOUT_MS = 2_000
const READ_BATCH = 1_000

interface Options {
  readonly stream: StreamName
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly log: Log
}

/** One JetStream stream as a journal. */
export function makeJournal({ stream, js, jsm, log }: Options): Journal {
  const last = async (subject: string): Promise<StoredRecord | undefined> => {
    try {
      // Asked of the stream's leader, never of a replica that may lag behind.
      const message = await jsm.streams.getMessage(stream, { last_by_subj: subject })
      return toStored(message.subject, message.seq, message.data)
    } catch (error) {
      if (isApiError(error, MESSAGE_NOT_FOUND)) return undefined
      throw error
    }
  }

  const append: Journal['append'] = async (subject, expected, record) => {
    const data = encode(record)
    for (let attempt = 0; ; attempt++) {
      try {
        // No message id: de-duplication runs before the comparison of sequences, so a writer that
        // lost its place would be told that its write won.
        const ack = await js.publish(subject, data, {
          expect: { lastSubjectSequence: expected },
          timeout: APPEND_TIMEOUT_MS,
        })
        return ack.seq
      } catch (error) {
        if (isApiError(error, WRONG_LAST_SEQUENCE)) {
          // A first try whose answer was lost shows as a refusal of the second: look who won.
          const winner = await untilAnswered(() => last(subject), log)
          return winner?.token === record.token ? winner.sequence : 'conflict'
        }
        if (isClosed(error)) throw error
        log.warn({ err: error, subject, attempt }, 'journal: append not answered, trying again')
        await sleep(Math.min(50 * 2 ** attempt, 1_000))
      }
    }
  }

  return {
    append,
    last: (subject) => untilAnswered(() => last(subject), log),
    read: (filter, from, each) => readAll({ stream, js, jsm, log }, filter, from, each),
    lastSequence: async () =>
      (await untilAnswered(() => jsm.streams.info(stream), log)).state.last_seq,
  }
}

/** Repeats an idempotent read until the server answers it, or we have closed the connection. */
async function untilAnswered<T>(read: () => Promise<T>, log: Log): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (isClosed(error)) throw error
      log.warn({ err: error, attempt }, 'journal: read not answered, trying again')
      await sleep(Math.min(50 * 2 ** attempt, 1_000))
    }
  }
}

async function readAll(
  { stream, js, jsm, log }: Options,
  filter: string,
  from: number,
  each: (record: StoredRecord) => void,
): Promise<void> {
  let next = Math.max(1, from)
  const readOn = async (): Promise<void> => {
    // Pulled in batches by a consumer of our own; should the server forget it, a new one goes on.
    const info = await jsm.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: next,
      filter_subject: filter,
      inactive_threshold: nanos(30_000),
      mem_storage: true,
      num_replicas: 1,
    })
    const consumer = await js.consumers.get(stream, info.name)
    let pending = info.num_pending
    while (pending > 0) {
      const batch = await consumer.fetch({ max_messages: READ_BATCH, expires: 2_000 })
      let got = 0
      for await (const message of batch) {
        got++
        next = message.seq + 1
        pending = message.info.pending
        each(toStored(message.subject, message.seq, message.data))
        if (pending === 0) break
      }
      if (got === 0) throw new Error('journal: the server sent nothing of what it holds')
    }
    await jsm.consumers.delete(stream, info.name)
  }
  await untilAnswered(readOn, log)
}

function toStored(subject: string, sequence: number, data: Uint8Array): StoredRecord {
  const { token, body } = decode(data) as JournalRecord
  return { subject, sequence, token, body }
}

const isClosed = (error: unknown): boolean =>
  error instanceof NatsError &&
  (error.code === ErrorCode.ConnectionClosed || error.code === ErrorCode.ConnectionDraining)

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code
