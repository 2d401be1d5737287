import {
  type ConsumerOpts,
  type ConsumerOptsBuilder,
  DeliverPolicy,
  type JsMsg,
  type KV,
  type KvEntry,
} from 'nats'
import type { Node } from '../world.ts'
import type { BucketEntry } from './bucket.ts'
import type { SimNats } from './server.ts'
import { timedOut } from './stream.ts'

const ASK_TIMEOUT_MS = 5_000
const NOTHING = new Uint8Array()

export function keyValue(server: SimNats, node: Node, name: string): KV {
  const bucket = server.bucket(name)
  const ask = <T>(act: () => T) => node.call('nats', act, timedOut, ASK_TIMEOUT_MS)
  const put = (key: string, value: Uint8Array, expected?: number) =>
    ask(() => bucket.write({ key, value, operation: 'PUT' }, expected))

  const kv = {
    get: (key: string) =>
      ask(() => {
        const entry = bucket.entries.get(key)
        return entry ? shown(name, entry) : null
      }),
    put: (key: string, value: Uint8Array) => put(key, value),
    create: (key: string, value: Uint8Array) => put(key, value, 0),
    update: (key: string, value: Uint8Array, revision: number) => put(key, value, revision),
    delete: (key: string) =>
      ask(() => void bucket.write({ key, value: NOTHING, operation: 'DEL' })),
    status: () => ask(() => ({ values: bucket.entries.size })),
  }
  return kv as unknown as KV
}

const shown = (bucket: string, entry: BucketEntry): KvEntry =>
  ({ bucket, ...entry }) as unknown as KvEntry

/** An ordered consumer of a bucket's stream, as the house watches buckets. */
export async function subscribeBucket(
  server: SimNats,
  node: Node,
  settings: ConsumerOptsBuilder,
): Promise<{ unsubscribe(): void }> {
  const { config, callbackFn } = (settings as ReadsOptions).getOpts()
  const [prefix, name] = /^\$KV\.([^.]+)\./.exec(config.filter_subject!)!
  const bucket = server.bucket(name!)
  const { faults } = server.world
  let isOver = false
  let arrived = 0
  const hear = (entry: BucketEntry, left: number) =>
    node.receive('nats', () => {
      arrived = Math.max(arrived, entry.revision)
      if (!isOver) callbackFn!(null, messageOf(prefix, entry, left))
    })
  await node.call(
    'nats',
    () => {
      const told = config.deliver_policy === DeliverPolicy.New ? bucket.revision : 0
      arrived = told
      const tellLost = bucket.watch(config.filter_subject!.slice(prefix.length), {
        told,
        arrived: () => arrived,
        isCut: () => faults.cut(node.name, 'nats') || server.stalled.has(node.name),
        isGone: () => !node.alive || isOver,
        each: hear,
      })
      faults.onCut((a, b, isCut) => {
        if (!isCut && a === node.name && b === 'nats') tellLost()
      })
    },
    timedOut,
    ASK_TIMEOUT_MS,
  )
  return {
    unsubscribe: () => {
      isOver = true
    },
  }
}

interface ReadsOptions extends ConsumerOptsBuilder {
  getOpts(): ConsumerOpts
}

function messageOf(prefix: string, entry: BucketEntry, pending: number): JsMsg {
  const { key, revision, value, operation } = entry
  const made = {
    subject: `${prefix}${key}`,
    seq: revision,
    data: value,
    headers: operation === 'PUT' ? undefined : { get: () => operation },
    info: { pending },
  }
  return made as unknown as JsMsg
}
