import {
  DiscardPolicy,
  type KvOptions,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats'

const DAY_MS = 24 * 60 * 60 * 1000
/** A host that takes over tells again what its predecessor may not have: within the life of a job. */
const REPEATS_MS = 10 * 60 * 1000

export type StreamName = 'JOB' | 'TX' | 'DONE' | 'FACT' | 'HOOK' | 'ATTEMPT'
export type BucketName =
  | 'KEYS'
  | 'PARTS'
  | 'CURSORS'
  | 'SETTINGS'
  | 'LOW'
  | 'MODELS'
  | 'WALLETS'
  | 'STRIKES'
  | 'WORKERS'
  | 'ADMITTED'
  | 'WEBHOOKS'
  | 'LISTENERS'
  | 'JOINS'
  | 'KEYRINGS'
  | 'SESSIONS'
  | 'NONCES'

/** @param maxAgeMs 0: for ever */
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
  // Finished jobs, as their owners see them.
  DONE: stream('DONE', ['done.>'], 0),
  // What happened to wallets and workers: longer than any reader of it stays away.
  FACT: { ...stream('FACT', ['fact.>'], 30 * DAY_MS), duplicate_window: nanos(REPEATS_MS) },
  // Deliveries that are owed to webhooks: each leaves when its attempt has been made.
  HOOK: {
    ...stream('HOOK', ['hook.>'], 0),
    retention: RetentionPolicy.Workqueue,
    duplicate_window: nanos(REPEATS_MS),
  },
  // Attempts that were made.
  ATTEMPT: stream('ATTEMPT', ['attempt.>'], 30 * DAY_MS),
}

/** `discard`: what a full one does; by default it refuses what is new. */
type Bucket = Partial<KvOptions> & Pick<Partial<StreamConfig>, 'discard'>

/** All on disk: one in memory alone is gone with a server that starts anew, and nobody makes it again. */
export const BUCKETS: Readonly<Record<BucketName, Bucket>> = {
  KEYS: { history: 1, storage: StorageType.File },
  PARTS: { history: 1, storage: StorageType.File },
  CURSORS: { history: 1, storage: StorageType.File },
  // What wallets have chosen in the web app.
  SETTINGS: { history: 1, storage: StorageType.File },
  // Which wallets have been told that they run low.
  LOW: { history: 1, storage: StorageType.File },
  MODELS: { history: 1, storage: StorageType.File },
  // Wallets whose deposit addresses are watched.
  WALLETS: { history: 1, storage: StorageType.File },
  // What workers did against the rules, and proofs of it.
  STRIKES: { history: 1, storage: StorageType.File },
  // Which workers the network has been told of.
  WORKERS: { history: 1, storage: StorageType.File },
  // Which models workers have shown to serve: ADMISSION_MS, after which they show it again.
  ADMITTED: { history: 1, storage: StorageType.File, ttl: DAY_MS },
  // The webhooks of each wallet.
  WEBHOOKS: { history: 1, storage: StorageType.File },
  // Wallets whose events somebody listens to now.
  LISTENERS: { history: 1, storage: StorageType.File, ttl: 60_000 },
  // Which job has the key that a caller gave its request: longer than a job and its margin.
  JOINS: { history: 1, storage: StorageType.File, ttl: REPEATS_MS },
  // Which API key of each wallet is the one it may have.
  KEYRINGS: { history: 1, storage: StorageType.File },
  // Who is signed in to the web app: each says when it ends, at most a week from its beginning.
  SESSIONS: { history: 1, storage: StorageType.File, ttl: 7 * DAY_MS },
  // To be signed in with, once. Anybody may ask for one: they are small, and soon gone. Of a flood the oldest go,
  // so that whoever signs in within seconds still can.
  NONCES: {
    ...{ history: 1, storage: StorageType.File, ttl: 5 * 60_000, max_bytes: 64 * 1024 * 1024 },
    discard: DiscardPolicy.Old,
  },
}
