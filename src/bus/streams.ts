import {
  DiscardPolicy,
  type JetStreamManager,
  type KvOptions,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats'

const DAY_MS = 24 * 60 * 60 * 1000

export type StreamName = 'JOB' | 'TX'
export type BucketName = 'KEYS' | 'PARTS' | 'CURSORS'

const stream = (name: StreamName, subjects: string[], maxAgeMs: number): Partial<StreamConfig> => ({
  name,
  subjects,
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  // A full stream refuses what is new; what is running can be read to its end.
  discard: DiscardPolicy.New,
  max_age: nanos(maxAgeMs),
  allow_direct: true,
})

/** Streams and buckets, and how long they remember. */
export const STREAMS: Readonly<Record<StreamName, Partial<StreamConfig>>> = {
  JOB: stream('JOB', ['job.>'], 7 * DAY_MS),
  // The outbox of the chain lanes: a signed transaction outlives any outage of the chain.
  TX: stream('TX', ['tx.>'], 30 * DAY_MS),
}

export const BUCKETS: Readonly<Record<BucketName, Partial<KvOptions>>> = {
  KEYS: { history: 1, storage: StorageType.File },
  PARTS: { history: 1, storage: StorageType.File },
  CURSORS: { history: 1, storage: StorageType.File },
}

const STREAM_NOT_FOUND = 10_059

/** Creates the stream, or leaves it as it is: its settings are then the operator's. */
export async function ensureStream(
  jsm: JetStreamManager,
  config: Partial<StreamConfig>,
): Promise<void> {
  try {
    await jsm.streams.info(config.name!)
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== STREAM_NOT_FOUND) throw error
    await jsm.streams.add(config)
  }
}
