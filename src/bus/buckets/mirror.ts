import { setTimeout as sleep } from 'node:timers/promises'
import { Events, type JetStreamClient, type KV, type NatsConnection } from 'nats'
import type { Mirror } from '../../ports/mirror.ts'
import type { Log } from '../../telemetry/log.ts'
import type { BucketName } from '../streams/streams.ts'
import { type BucketChange, watchBucket } from './watch-bucket.ts'

interface Options<Value> {
  readonly kv: KV
  readonly bucket: BucketName
  readonly js: JetStreamClient
  readonly connection: NatsConnection
  readonly log: Log
  /** @returns undefined for what nobody can read, which is then left out */
  readonly parse: (value: unknown) => Value | undefined
}

const REOPEN_MS = 200

/** Watches one bucket. After each cut of the connection all is read anew. */
export function makeMirror<Value>(options: Options<Value>): Mirror<Value> {
  const { kv, bucket, connection, log, parse } = options
  const values = new Map<string, Value>()
  let whole = false
  let stopped = false
  let endWatch = () => {}
  let waiting: (() => void)[] = []

  const becameWhole = () => {
    whole = true
    for (const resolve of waiting.splice(0)) resolve()
  }
  const take = ({ key, entry }: BucketChange) => {
    const value = entry && entry !== 'unreadable' ? parse(entry.value) : undefined
    if (value === undefined) values.delete(key)
    else values.set(key, value)
  }

  /** Until this watch ends. */
  const follow = async (): Promise<void> => {
    /** The newest revision of each key that this watch has told. */
    const seen = new Map<string, number>()
    let reading = true
    const finish = () => {
      reading = false
      // What was deleted while nobody watched is not told of.
      for (const key of values.keys()) if (!seen.has(key)) values.delete(key)
      becameWhole()
    }
    let ended: (error: unknown) => void = () => {}
    const over = new Promise<unknown>((resolve) => {
      ended = resolve
    })
    const stop = await watchBucket({
      ...{ ...options, filter: '>', from: 'all', ended },
      each: (change) => {
        const { key, revision } = change
        // One that comes late, or again, must not undo what came after it.
        if (revision > (seen.get(key) ?? 0)) {
          seen.set(key, revision)
          take(change)
        }
        if (reading && change.pending === 0) finish()
      },
    })
    endWatch = () => {
      stop()
      ended(undefined)
    }
    if (stopped) return endWatch()
    // Looked at twice: something may come while the bucket is asked.
    if (seen.size === 0 && (await kv.status()).values === 0 && seen.size === 0) finish()
    const error = await over
    if (error) throw error
  }
  const run = async () => {
    while (!stopped && !connection.isClosed()) {
      whole = false
      try {
        await follow()
      } catch (error) {
        if (!stopped && !connection.isClosed()) {
          log.warn({ err: error, bucket }, 'mirror: cannot be read, trying again')
        }
      }
      endWatch()
      if (!stopped) await sleep(REOPEN_MS)
    }
  }
  const reopen = async () => {
    for await (const status of connection.status()) {
      if (stopped) return
      if (status.type === Events.Disconnect) whole = false
      // Ends the watch, after which another is opened.
      if (status.type === Events.Reconnect) endWatch()
    }
  }
  void run()
  void reopen()

  return {
    get whole() {
      return whole
    },
    untilWhole: () => (whole ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    get: (key) => values.get(key),
    entries: () => values.entries(),
    stop: () => {
      stopped = true
      endWatch()
      waiting = []
    },
  }
}
