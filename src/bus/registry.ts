import { type KV, type KvEntry, KvWatchInclude, type NatsConnection } from 'nats'
import type { Registry, RegistryEntry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'
import { isWrongLastSequence } from './api-error.ts'
import { decode, encode } from './codec.ts'

/** One JetStream key-value bucket as a registry. */
export function makeRegistry(kv: KV, connection: NatsConnection, log: Log): Registry {
  return {
    get: async (key) => {
      const entry = await kv.get(key)
      return entry ? toEntry(entry) : undefined
    },
    put: async (key, value, revision) => {
      try {
        const data = encode(value)
        return revision === 0 ? await kv.create(key, data) : await kv.update(key, data, revision)
      } catch (error) {
        if (isWrongLastSequence(error)) {
          return 'conflict'
        }
        throw error
      }
    },
    set: async (key, value) => {
      await kv.put(key, encode(value))
    },
    delete: (key) => kv.delete(key),
    watch: async (filter, each, options) => {
      const watch = await kv.watch({
        key: filter,
        include: options?.updatesOnly ? KvWatchInclude.UpdatesOnly : KvWatchInclude.LastValue,
      })
      void (async () => {
        for await (const entry of watch) {
          try {
            each(entry.key, toEntry(entry))
          } catch (error) {
            log.error({ err: error, key: entry.key }, 'registry: watcher failed')
          }
        }
      })()
      return () => {
        if (!connection.isClosed()) watch.stop()
      }
    },
  }
}

const toEntry = (entry: KvEntry): RegistryEntry | undefined =>
  entry.operation === 'PUT' ? { value: decode(entry.value), revision: entry.revision } : undefined
