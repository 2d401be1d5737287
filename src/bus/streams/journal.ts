import { setTimeout as sleep } from 'node:timers/promises'
import type { JsMsg } from 'nats'
import type { Journal, JournalReader, JournalRecord, StoredRecord } from '../../ports/journal.ts'
import type { Log } from '../../telemetry/log.ts'
import { isMessageNotFound, isWrongLastSequence } from '../api-error.ts'
import { decode, encode } from '../codec.ts'
import { isClosed } from '../connection/closed.ts'
import { readStream, type StreamReader, seldomTelling, untilAnswered } from './read-stream.ts'

const APPEND_TIMEOUT_MS = 2_000
const READ_BATCH = 1_000

/** One JetStream stream as a journal. */
export function makeJournal({ stream, js, jsm, log }: StreamReader): Journal {
  const seldom = seldomTelling(log)
  const last = async (subject: string): Promise<StoredRecord | undefined> => {
    const message = await untilAnswered(async () => {
      try {
        // Asked of the stream's leader, never of a replica that may lag behind.
        return await jsm.streams.getMessage(stream, { last_by_subj: subject })
      } catch (error) {
        if (isMessageNotFound(error)) return undefined
        throw error
      }
    }, seldom)
    // Out here: what cannot be read is no better for being asked for again.
    return message && toStored(message)
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
        if (isWrongLastSequence(error)) {
          // A first try whose answer was lost shows as a refusal of the second: look who won.
          const winner = await last(subject)
          return winner?.token === record.token ? winner.sequence : 'conflict'
        }
        if (isClosed(error)) throw error
        seldom.warn({ err: error, subject, attempt }, 'journal: append not answered, trying again')
        await sleep(Math.min(50 * 2 ** attempt, 1_000))
      }
    }
  }

  return {
    append,
    last,
    read: (from, each) =>
      readStream(
        { stream, js, jsm, log },
        {
          from,
          batch: READ_BATCH,
          each: (messages) => {
            for (const record of messages.flatMap((message) => readable(message, log))) each(record)
          },
        },
      ),
    lastSequence: async () =>
      (await untilAnswered(() => jsm.streams.info(stream), seldom)).state.last_seq,
  }
}

/** All of one stream, for who keeps a copy of it. */
export function makeJournalReader(reader: StreamReader): JournalReader {
  const { stream, jsm, log } = reader
  const seldom = seldomTelling(log)
  return {
    bounds: async () => {
      const { state } = await untilAnswered(() => jsm.streams.info(stream), seldom)
      return { oldest: state.first_seq, newest: state.last_seq }
    },
    read: (from, each) =>
      readStream(reader, {
        from,
        batch: READ_BATCH,
        each: (messages) => {
          const newest = new Map<string, JsMsg>()
          for (const message of messages) newest.set(message.subject, message)
          return each([...newest.values()].flatMap((message) => readable(message, log)))
        },
      }),
  }
}

type Stored = Pick<JsMsg, 'subject' | 'seq' | 'data'>

/** One record that nobody can read must not hide all the others. */
function readable(message: Stored, log: Log): StoredRecord[] {
  try {
    return [toStored(message)]
  } catch (error) {
    const { subject, seq: sequence } = message
    log.error({ err: error, subject, sequence }, 'journal: a record cannot be read')
    return []
  }
}

function toStored({ subject, seq, data }: Stored): StoredRecord {
  const { token, body } = decode(data) as JournalRecord
  return { subject, sequence: seq, token, body }
}
