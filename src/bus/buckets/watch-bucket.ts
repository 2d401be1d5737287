import {
  AckPolicy,
  consumerOpts,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamSubscription,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats'
import type { RegistryEntry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import { decode } from '../codec.ts'
import type { BucketName } from '../streams/streams.ts'

/** A message of a bucket, as who watches it sees it. */
export interface BucketChange {
  readonly key: string
  /** Of the bucket: a later change has a higher one. */
  readonly revision: number
  /** Undefined: deleted. */
  readonly entry: RegistryEntry | 'unreadable' | undefined
  /** How many more there were when this one was sent; 0: that was all for now. */
  readonly pending: number
}

interface Options {
  readonly bucket: BucketName
  readonly js: JetStreamClient
  readonly connection: NatsConnection
  readonly log: Log
  /** Of keys, with the bus's wildcards. */
  readonly filter: string
  /** `updates`: what is there already is not told. */
  readonly from: 'all' | 'updates'
  readonly each: (change: BucketChange) => void
  /** The watch ended of itself; called once, and never after `stop`. */
  readonly ended: (error: unknown) => void
}

/**
 * The server's consumer behind a watch lives on one server of a cluster, and may go with it while
 * our own connection stands. Two of these without a word, and the client makes another consumer that
 * goes on where it was. The library's own watch notices after ten seconds: too late for a revoked key.
 */
const HEARTBEAT_MS = 750

/** Watches a bucket. @returns stops it */
export async function watchBucket(options: Options): Promise<() => void> {
  const { bucket, js, connection, filter, from, each, ended, log } = options
  const prefix = `$KV.${bucket}.`
  let over = false
  let subscription: JetStreamSubscription | undefined
  const stop = () => {
    over = true
    if (!connection.isClosed()) subscription?.unsubscribe()
  }
  const settings = consumerOpts({
    ack_policy: AckPolicy.None,
    deliver_policy: from === 'all' ? DeliverPolicy.LastPerSubject : DeliverPolicy.New,
    filter_subject: `${prefix}${filter}`,
    flow_control: true,
    idle_heartbeat: nanos(HEARTBEAT_MS),
  })
  settings.bindStream(`KV_${bucket}`)
  settings.orderedConsumer()
  settings.callback((error, message) => {
    if (over) return
    if (error) {
      stop()
      return ended(error)
    }
    if (!message) return
    try {
      each(toChange(message, prefix, log))
    } catch (failure) {
      log.error({ err: failure, subject: message.subject }, 'bucket: watcher failed')
    }
  })
  subscription = await js.subscribe(`${prefix}${filter}`, settings)
  if (over) stop() // it ended before it had begun
  return () => {
    if (!over) stop()
  }
}

function toChange(message: JsMsg, prefix: string, log: Log): BucketChange {
  const { subject, seq, headers, info } = message
  const gone = headers?.get('KV-Operation')
  return {
    key: subject.slice(prefix.length),
    revision: seq,
    entry: gone === 'DEL' || gone === 'PURGE' ? undefined : entryOf(message, log),
    pending: info.pending,
  }
}

/** What nobody can read is told of, too: who watches may wait for the last of all. */
function entryOf({ subject, seq, data }: JsMsg, log: Log): BucketChange['entry'] {
  try {
    return { value: decode(data), revision: seq }
  } catch (error) {
    log.error({ err: error, subject }, 'bucket: an entry that nobody can read')
    return 'unreadable'
  }
}
