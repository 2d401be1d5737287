import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  nanos,
} from 'nats'
import type { DurationMs } from '../../domain/time.ts'
import { isConsumerNotFound } from '../api-error.ts'
import type { StreamReader } from './read-stream.ts'

export interface QueueConsumer {
  /** Durable: the same for all who share the work. */
  readonly name: string
  readonly filter: string
  /** What a process held that died is handed to another after this long. */
  readonly ackWaitMs: DurationMs
  /** Most that may be held, by all processes together. */
  readonly heldMost: number
  /**
   * Where the stream has lost its end: what was stored in this span is handed out again, with what was never handed
   * out. Left out: all that there is.
   */
  readonly againMs?: DurationMs
}

/** Makes the consumer where there is none, and anew where it is of no use any more. */
export async function openDurable(reader: StreamReader, terms: QueueConsumer): Promise<Consumer> {
  const { stream, js, jsm, log } = reader
  const { name } = terms
  const known = await infoOf(reader, name)
  if (!known) await jsm.consumers.add(stream, settingsOf(terms))
  else if (await isAhead(reader, known)) {
    log.error(
      { stream, name, at: known.delivered.stream_seq },
      'queue: its stream has lost its end, as after a full disk; it is read anew',
    )
    await jsm.consumers.delete(stream, name)
    await jsm.consumers.add(stream, { ...settingsOf(terms), ...again(terms) })
  } else if (hasOtherTerms(known, terms)) {
    await jsm.consumers.update(stream, name, changing(terms))
  }
  return js.consumers.get(stream, name)
}

async function infoOf({ stream, jsm }: StreamReader, name: string) {
  try {
    return await jsm.consumers.info(stream, name)
  } catch (error) {
    if (isConsumerNotFound(error)) return undefined
    throw error
  }
}

/**
 * A server that was killed with a full disk counts a stream from an earlier place again, from 1 where all was
 * done. It hands nothing out up to where its consumer was, and nobody would notice. Asked second, so that
 * what comes meanwhile makes no difference.
 */
async function isAhead({ stream, jsm }: StreamReader, { delivered }: ConsumerInfo) {
  const { state } = await jsm.streams.info(stream)
  return delivered.stream_seq > state.last_seq
}

const changing = ({ ackWaitMs, heldMost }: QueueConsumer) => ({
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: heldMost,
})

const hasOtherTerms = ({ config }: ConsumerInfo, terms: QueueConsumer): boolean => {
  const { ack_wait, max_ack_pending } = changing(terms)
  return config.ack_wait !== ack_wait || config.max_ack_pending !== max_ack_pending
}

const settingsOf = (terms: QueueConsumer): Partial<ConsumerConfig> => ({
  durable_name: terms.name,
  filter_subject: terms.filter,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ...changing(terms),
})

function again({ againMs }: QueueConsumer): Partial<ConsumerConfig> {
  if (againMs === undefined) return {}
  const from = new Date(Date.now() - againMs).toISOString()
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from }
}
