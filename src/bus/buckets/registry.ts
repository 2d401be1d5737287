import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient, KV, KvEntry, NatsConnection } from 'nats'
import {
  type Registry,
  type RegistryEntry,
  RegistryUnanswered,
  type WatchOptions,
} from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import { isNoAnswer, isWrongLastSequence } from '../api-error.ts'
import { decode, encode } from '../codec.ts'
import type { BucketName } from '../streams/streams.ts'
import { readAgain } from './read-again.ts'
import { watchBucket } from './watch-bucket.ts'

interface Bucket {
  readonly bucket: BucketName
  readonly kv: KV
  readonly js: JetStreamClient
  readonly connection: NatsConnection
  readonly log: Log
}

/** One JetStream key-value bucket as a registry. */
export function makeRegistry(bucket: Bucket): Registry {
  const { kv, connection } = bucket
  const read = readAgain(connection)
  const answered = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked
    } catch (error) {
      throw isNoAnswer(error) ? new RegistryUnanswered(bucket.bucket, error) : error
    }
  }
  return {
    get: async (key) => {
      const entry = await answered(read(() => kv.get(key)))
      return entry ? toEntry(entry) : undefined
    },
    put: async (key, value, revision) => {
      try {
        const data = encode(value)
        const put = revision === 0 ? kv.create(key, data) : kv.update(key, data, revision)
        return await answered(put)
      } catch (error) {
        if (isWrongLastSequence(error)) {
          return 'conflict'
        }
        throw error
      }
    },
    set: async (key, value) => {
      await answered(kv.put(key, encode(value)))
    },
    delete: async (key, revision) => {
      try {
        const over = revision === undefined ? {} : { previousSeq: revision }
        await answered(kv.delete(key, over))
        return 'deleted'
      } catch (error) {
        if (isWrongLastSequence(error)) return 'conflict'
        throw error
      }
    },
    watch: (filter, each, options) => keepWatching(bucket, filter, each, options),
  }
}

const REOPEN_MS = 200

/** A watch that the server ends is opened anew, and tells all that there is once more. */
async function keepWatching(
  bucket: Bucket,
  filter: string,
  each: Parameters<Registry['watch']>[1],
  { updatesOnly, broken }: WatchOptions = {},
): Promise<() => void> {
  const { connection, log } = bucket
  let stopped = false
  let stop = () => {}
  const open = (what: 'all' | 'updates') =>
    watchBucket({
      ...bucket,
      filter,
      from: what,
      each: ({ key, entry }) => {
        if (entry !== 'unreadable') each(key, entry)
      },
      ended: (error) => {
        log.warn({ err: error, bucket: bucket.bucket }, 'registry: watch ended, opening it anew')
        broken?.()
        void reopen()
      },
    })
  const reopen = async (): Promise<void> => {
    while (!stopped && !connection.isClosed()) {
      await sleep(REOPEN_MS)
      try {
        const opened = await open('all')
        if (stopped) opened()
        else stop = opened
        return
      } catch (error) {
        log.warn({ err: error, bucket: bucket.bucket }, 'registry: cannot be watched, trying again')
      }
    }
  }
  stop = await open(updatesOnly ? 'updates' : 'all')
  return () => {
    stopped = true
    stop()
  }
}

const toEntry = (entry: KvEntry): RegistryEntry | undefined =>
  entry.operation === 'PUT' ? { value: decode(entry.value), revision: entry.revision } : undefined
