import { setTimeout as sleep } from 'node:timers/promises'
import {
  ErrorCode,
  type JetStreamClient,
  type JetStreamManager,
  type KV,
  NatsError,
  type StreamConfig,
} from 'nats'
import { OperatorError } from '../../domain/operator-error.ts'
import type { Log } from '../../telemetry/log.ts'
import { changesOf, requireSafe } from './replication.ts'
import { BUCKETS, type BucketName, STREAMS, type StreamName } from './streams.ts'

/** Where streams and buckets are kept, and by how many servers each. */
export interface Keeping {
  readonly js: JetStreamClient
  jsm(): Promise<JetStreamManager>
  /**
   * For creating. Of those who create the same in a cluster at once, some are never answered: it is
   * soon looked whether it is there.
   */
  readonly impatient: { readonly js: JetStreamClient; jsm(): Promise<JetStreamManager> }
  /** Undefined: new ones by one server, those that exist by as many as they are. */
  readonly replicas: number | undefined
  /** Of the server that we are connected to now. */
  version(): string
  /** Whether it, or its cluster, can keep anything at all. */
  keepsStreams(): boolean
  readonly log: Log
}

/** Makes the stream, or brings the one that exists up to what is needed. */
export const ensureStream = (keeping: Keeping, name: StreamName): Promise<void> =>
  untilKept(keeping, name, async () => {
    const jsm = await keeping.jsm()
    if (await bringUpToDate(keeping, jsm, STREAMS[name].name!, STREAMS[name])) return
    const creator = await keeping.impatient.jsm()
    await creator.streams.add({ ...STREAMS[name], num_replicas: keeping.replicas ?? 1 })
  })

export const ensureBucket = (keeping: Keeping, name: BucketName): Promise<KV> =>
  untilKept(keeping, name, async () => {
    const { js, replicas } = keeping
    const { discard, ...kept } = BUCKETS[name]
    const { storage } = kept
    const wanted = storage ? { storage } : {}
    const jsm = await keeping.jsm()
    const found = await bringUpToDate(keeping, jsm, `KV_${name}`, wanted)
    const copies = replicas ?? found ?? 1
    // With copies the leader is asked: one that lags behind would let a revoked key in.
    const options = { allow_direct: copies === 1 }
    if (!found) {
      const made = { ...kept, ...options, replicas: copies }
      await keeping.impatient.js.views.kv(name, made)
    }
    await harden(keeping, jsm, `KV_${name}`, { ...NO_ROLLUPS, ...(discard && { discard }) })
    return js.views.kv(name, options)
  })

/** @returns how many servers kept it; undefined where there is no such stream */
async function bringUpToDate(
  { replicas, version, log }: Keeping,
  jsm: JetStreamManager,
  stream: string,
  wanted: Parameters<typeof changesOf>[0],
): Promise<number | undefined> {
  const info = await jsm.streams.info(stream).catch((error: unknown) => {
    if (codeOf(error) === STREAM_NOT_FOUND) return undefined
    throw error
  })
  requireSafe(version(), Math.max(replicas ?? 1, info?.config.num_replicas ?? 1))
  if (!info) return undefined
  const changes = changesOf(wanted, info.config, replicas)
  if (changes) {
    await jsm.streams.update(stream, { ...info.config, ...changes })
    log.info({ stream, ...changes }, 'stream: brought up to date')
  }
  return info.config.num_replicas
}

/** With one message of that kind whoever may write a single key would empty the bucket. */
const NO_ROLLUPS = { allow_rollup_hdrs: false } as const

/** What the library gives no word for. Whoever may sees to it, and nobody waits for that. */
async function harden(
  { log }: Keeping,
  jsm: JetStreamManager,
  stream: string,
  wanted: Pick<Partial<StreamConfig>, 'allow_rollup_hdrs' | 'discard'>,
): Promise<void> {
  const { config } = await jsm.streams.info(stream)
  const fields = Object.keys(wanted) as (keyof typeof wanted)[]
  if (fields.every((field) => (config[field] ?? false) === wanted[field])) return
  try {
    await jsm.streams.update(stream, { ...config, ...wanted })
    log.info({ stream, ...wanted }, 'stream: brought up to date')
  } catch (error) {
    if (!isMaking(refusedSubject(error) ?? '')) throw error
  }
}

const STREAM_NOT_FOUND = 10_059
const NO_SUITABLE_PEERS = 10_005
const NOT_CLUSTERED = 10_074
const NAME_IN_USE = 10_058
/** So long a cluster may take until its servers know of one another. */
const PEERS_WITHIN_MS = 30_000
const PAUSE_FIRST_MS = 100
const PAUSE_MOST_MS = 2_000

/** A cluster that starts, or elects a leader, cannot say yet what it keeps: it is asked again. */
async function untilKept<T>(
  { replicas, keepsStreams, log }: Keeping,
  what: string,
  ensure: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  let pauseMs = PAUSE_FIRST_MS
  for (;;) {
    try {
      return await ensure()
    } catch (error) {
      const code = codeOf(error)
      const lacksPeers = code === NO_SUITABLE_PEERS
      const refused = refusedSubject(error)
      if (refused !== undefined && !isMaking(refused)) throw mayNotUse(what, refused)
      if (
        code === NOT_CLUSTERED ||
        (lacksPeers && performance.now() - startedAt > PEERS_WITHIN_MS)
      ) {
        throw new OperatorError(
          `${what} cannot be kept by ${replicas} servers: NATS says "${(error as Error).message}". ` +
            'NATS_REPLICAS is at most the number of servers of the cluster that run JetStream',
          { cause: error },
        )
      }
      const isOthersToMake = refused !== undefined
      if (!lacksPeers && !isOthersToMake && !isPassing(error)) throw error
      if (isOthersToMake) log.warn({ what }, 'nats: not there yet: waiting for an actor host')
      else if (keepsStreams()) {
        log.warn({ err: error, what }, 'nats: not able to keep streams yet, trying again')
      } else log.warn({ what }, `nats: not able to keep streams yet: ${NO_JETSTREAM}`)
      await sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, PAUSE_MOST_MS)
    }
  }
}

/** Not the end of a role: a server whose disk is full switches JetStream off, and on when it is started anew. */
export const NO_JETSTREAM =
  'the nats-server at NATS_URL runs without JetStream; start it with --jetstream and --store_dir'

const refusedSubject = (error: unknown): string | undefined =>
  error instanceof NatsError && error.isPermissionError()
    ? (error.permissionContext?.subject ?? '')
    : undefined

const mayNotUse = (what: string, subject: string): OperatorError =>
  new OperatorError(
    `this user of NATS may not use ${what} (${subject} was refused): is it the user of this role? ` +
      'Users and what they may do are in deploy/nats-users.conf',
  )

/** Streams are made and changed by those who own them; everybody else may find them. */
export const isMaking = (subject: string): boolean =>
  /^\$JS\.API\.STREAM\.(CREATE|UPDATE)\./.test(subject)

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined

/**
 * No leader at the moment, or no answer; or it is there by now, since another made it, or what was asked for without
 * an answer was done: then it is found, and brought up to date.
 */
const isPassing = (error: unknown): boolean =>
  error instanceof NatsError &&
  (error.api_error?.code === 503 ||
    error.api_error?.err_code === NAME_IN_USE ||
    error.code === ErrorCode.NoResponders ||
    error.code === ErrorCode.Timeout ||
    error.code === ErrorCode.JetStreamNotEnabled)
