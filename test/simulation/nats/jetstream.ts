import type {
  ConsumerConfig,
  ConsumerOptsBuilder,
  DeliveryInfo,
  JetStreamClient,
  JetStreamManager,
  JsMsg,
} from 'nats'
import type { Node } from '../world.ts'
import { Arrivals } from './arrivals.ts'
import { SimConsumer } from './consumer.ts'
import { keyValue, subscribeBucket } from './key-value.ts'
import type { SimNats } from './server.ts'
import { apiError, type Stored, type StoreOptions, timedOut } from './stream.ts'
import { matcherOf } from './subjects.ts'

const ASK_TIMEOUT_MS = 5_000

export function jetStream(server: SimNats, node: Node): JetStreamClient {
  const js = {
    publish: (
      subject: string,
      data: Uint8Array,
      { timeout = ASK_TIMEOUT_MS, ...options }: StoreOptions & { timeout?: number } = {},
    ) => node.call('nats', () => server.store(subject, data, options), timedOut, timeout),
    consumers: {
      get: async (_stream: string, name: string) => {
        const consumer = server.consumers.get(name)
        if (!consumer) throw apiError(10_014, 404, 'consumer not found')
        return { fetch: async (wanted: Wanted) => fetch(server, node, consumer, wanted) }
      },
    },
    subscribe: (_subject: string, settings: ConsumerOptsBuilder) =>
      subscribeBucket(server, node, settings),
    views: { kv: async (bucket: string) => keyValue(server, node, bucket) },
  }
  return js as unknown as JetStreamClient
}

interface Query {
  readonly last_by_subj?: string
  readonly seq?: number
  readonly next_by_subj?: string
}

export function jetStreamManager(server: SimNats, node: Node): JetStreamManager {
  const ask = <T>(act: () => T) => node.call('nats', act, timedOut, ASK_TIMEOUT_MS)
  let ephemeral = 0
  const manager = {
    streams: {
      info: (name: string, { subjects_filter }: { subjects_filter?: string } = {}) =>
        ask(() => {
          const stream = server.stream(name)
          const state = {
            messages: stream.messages.size,
            get bytes() {
              return stream.bytes
            },
            first_seq: stream.firstSequence,
            last_seq: stream.lastSequence,
            ...(subjects_filter && { subjects: stream.counts(matcherOf(subjects_filter)) }),
          }
          return { state }
        }),
      getMessage: (name: string, { last_by_subj, next_by_subj, seq = 0 }: Query) =>
        ask(() => {
          const stream = server.stream(name)
          if (last_by_subj !== undefined) return shown(stream.last(last_by_subj))
          if (next_by_subj === undefined) return shown(stream.at(seq))
          return shown(stream.next(seq, matcherOf(next_by_subj)))
        }),
    },
    consumers: {
      add: (stream: string, config: Partial<ConsumerConfig>) => {
        const name = config.durable_name ?? `${node.name}.${stream}.${++ephemeral}`
        return ask(() => {
          const known = config.durable_name !== undefined && server.consumers.has(name)
          if (!known) {
            server.consumers.set(name, new SimConsumer(server.world, server.stream(stream), config))
          }
          return { name }
        })
      },
      info: (_stream: string, name: string) =>
        ask(() => {
          const consumer = server.consumers.get(name)
          if (!consumer) throw apiError(10_014, 404, 'consumer not found')
          return consumer.info
        }),
      delete: (_stream: string, name: string) => ask(() => server.consumers.delete(name)),
    },
  }
  return manager as unknown as JetStreamManager
}

const shown = ({ sequence, subject, data, at }: Stored) => ({
  seq: sequence,
  subject,
  data,
  time: new Date(at),
})

interface Wanted {
  readonly max_messages: number
  readonly expires: number
}

/** The server's word that a pull has ended may be lost: the client gives up a little later. */
const LOST_END_MS = 1_000

function fetch(
  { world, isThere }: SimNats,
  node: Node,
  consumer: SimConsumer,
  { max_messages, expires }: Wanted,
): Arrivals<JsMsg> {
  const cancel = node.clock.after(expires + LOST_END_MS, () => arrivals.end())
  const arrivals = new Arrivals<JsMsg>(cancel)
  let left = max_messages
  let expired = false
  node.send('nats', () => {
    consumer.pull({
      left: max_messages,
      gone: () => expired || !isThere(node),
      each: (message, deliveryCount, deliverySequence) =>
        node.receive('nats', () => {
          arrivals.push(toMessage(node, consumer, message, { deliveryCount, deliverySequence }))
          if (--left === 0) arrivals.end()
        }),
    })
    world.after(expires, () => {
      expired = true
      node.receive('nats', () => arrivals.end())
    })
  })
  return arrivals
}

type Delivery = Pick<DeliveryInfo, 'deliveryCount' | 'deliverySequence'>

function toMessage(node: Node, consumer: SimConsumer, message: Stored, delivery: Delivery): JsMsg {
  const { sequence, subject, data, at } = message
  const say = (act: () => void) => node.send('nats', act)
  const made = {
    seq: sequence,
    subject,
    data,
    info: { timestampNanos: at * 1e6, ...delivery },
    ack: () => say(() => consumer.ack(sequence)),
    nak: (ms = 0) => say(() => consumer.nak(sequence, ms)),
    working: () => say(() => consumer.working(sequence)),
  }
  return made as unknown as JsMsg
}
