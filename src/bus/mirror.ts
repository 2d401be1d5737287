import { setTimeout as sleep } from 'node:timers/promises'
import { Events, type KV, type KvEntry, type NatsConnection, type QueuedIterator } from 'nats'
import type { Mirror } from '../ports/mirror.ts'
import type { Log } from '../telemetry/log.ts'
import { decode } from './codec.ts'

interface Options<Value> {
  readonly kv: KV
  /** For logs. */
  readonly bucket: string
  readonly connection: NatsConnection
  readonly log: Log
  /** @returns undefined for what nobody can read, which is then left out */
  readonly parse: (value: unknown) => Value | undefined
}

const REOPEN_MS = 200

/**
 * Watches one bucket. The watch of the client survives a cut, but it may take it ten seconds to
 * notice that the server forgot it: after each cut all is read anew.
 */
export function makeMirror<Value>(options: Options<Value>): Mirror<Value> {
  const { kv, bucket, connection, log, parse } = options
  const values = new Map<string, Value>()
  let whole = false
  let stopped = false
  let watch: QueuedIterator<KvEntry> | undefined
  let waiting: (() => void)[] = []

  const becameWhole = () => {
    whole = true
    for (const resolve of waiting.splice(0)) resolve()
  }
  const take = (entry: KvEntry) => {
    const value = entry.operation === 'PUT' ? parse(decode(entry.value)) : undefined
    if (value === undefined) values.delete(entry.key)
    else values.set(entry.key, value)
  }

  /** Until this watch ends. */
  const follow = async (): Promise<void> => {
    const open = await kv.watch({ initializedFn: () => {} })
    if (stopped) return open.stop()
    watch = open
    const seen = new Set<string>()
    let reading = true
    const finish = () => {
      reading = false
      // What was deleted while nobody watched is not told of.
      for (const key of values.keys()) if (!seen.has(key)) values.delete(key)
      becameWhole()
    }
    if (open.getReceived() === 0 && (await kv.status()).values === 0) finish()
    for await (const entry of open) {
      take(entry)
      seen.add(entry.key)
      if (reading && entry.delta === 0) finish()
    }
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
      if (!stopped) await sleep(REOPEN_MS)
    }
  }
  const reopen = async () => {
    for await (const status of connection.status()) {
      if (stopped) return
      if (status.type === Events.Disconnect) whole = false
      // Ends the loop over it, which opens another.
      if (status.type === Events.Reconnect) watch?.stop()
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
      if (!connection.isClosed()) watch?.stop()
      waiting = []
    },
  }
}
