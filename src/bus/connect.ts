import { Events, type JetStreamManager, type NatsConnection } from 'nats'
import type { Bus } from '../ports/bus.ts'
import type { DeliveryHistory } from '../ports/delivery-history.ts'
import type { FactReader } from '../ports/fact-reader.ts'
import type { Facts } from '../ports/facts.ts'
import type { JobArchive } from '../ports/job-views.ts'
import type { Journal, JournalReader } from '../ports/journal.ts'
import type { Mirror } from '../ports/mirror.ts'
import type { Registry } from '../ports/registry.ts'
import type { WebhookQueues } from '../ports/webhook-queues.ts'
import type { Log } from '../telemetry/log.ts'
import { makeMirror } from './buckets/mirror.ts'
import { makeRegistry } from './buckets/registry.ts'
import { natsAddress } from './connection/address.ts'
import { writeByTurn } from './connection/by-turn.ts'
import { firstConnection } from './connection/first-connection.ts'
import { warnOfSmallMessages } from './connection/largest-message.ts'
import { endLostConnections } from './connection/lost-connections.ts'
import { watchSilence } from './connection/server-silence.ts'
import { logRefusals, outliveRefusals } from './connection/turned-away.ts'
import { makeCoreBus } from './core/core-bus.ts'
import { askCheaply } from './core/requests.ts'
import { makeArchive } from './streams/archive.ts'
import { makeDeliveryHistory } from './streams/delivery-history.ts'
import { ensureBucket, ensureStream, isMaking, type Keeping } from './streams/ensure.ts'
import { makeFactReader } from './streams/fact-reader.ts'
import { makeFacts } from './streams/facts.ts'
import { makeJournal, makeJournalReader } from './streams/journal.ts'
import { isSafe } from './streams/replication.ts'
import { publishCheaply } from './streams/stream-publish.ts'
import { BUCKETS, type BucketName, STREAMS, type StreamName } from './streams/streams.ts'
import { makeWebhookQueues } from './streams/webhook-queues.ts'
import { publishUntilDecided } from './until-decided.ts'

export interface Nats {
  readonly bus: Bus
  journal(stream: StreamName): Promise<Journal>
  /** The journal of all jobs, for who keeps a copy of it. */
  jobReader(): Promise<JournalReader>
  archive(): Promise<JobArchive>
  facts(): Promise<Facts>
  factReader(): Promise<FactReader>
  deliveryHistory(): Promise<DeliveryHistory>
  registry(bucket: BucketName): Promise<Registry>
  /** All of a bucket in memory. */
  mirror<Value>(
    bucket: BucketName,
    parse: (value: unknown) => Value | undefined,
  ): Promise<Mirror<Value>>
  webhookQueues(): Promise<WebhookQueues>
  close(): Promise<void>
}

export interface NatsOfOwner extends Nats {
  /** Makes, or brings up to date, all streams and buckets: also those that only other roles use. */
  makeAll(): Promise<void>
  /** Whether the server that we are connected to, or its cluster, can keep anything at all. */
  keepsStreams(): boolean
  /** Bytes that streams and buckets take of the disk of each server. */
  storedBytes(): Promise<number>
}

export interface NatsOptions {
  /** Comma-separated URLs, with user and password where the servers know users. */
  readonly servers: string
  /** Shown in the server's connection list. */
  readonly name: string
  readonly log: Log
  /**
   * How many servers of a cluster keep each stream and bucket. Undefined, for tools: as many as keep
   * them now, one for what is new.
   */
  readonly replicas?: number
}

const CREATED_WITHIN_MS = 1_500
/**
 * Until the next server is tried, or the same one anew. The kernel asks again in ever longer steps where nothing
 * comes back, so that one long try would find the way out long after it is there.
 */
const DIAL_MS = 5_000

/**
 * Connects and stays connected: waits for a server at start, reconnects for ever. What it opens is
 * made or brought up to date first.
 * @throws {OperatorError} at the first opening, where the servers must not or cannot keep `replicas`
 */
export async function connectNats({
  servers,
  name,
  log,
  replicas,
}: NatsOptions): Promise<NatsOfOwner> {
  const address = natsAddress(servers)
  const options = {
    ...address,
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    // A server that is stopped but not closed is noticed within six seconds.
    pingInterval: 2_000,
    maxPingOut: 2,
    timeout: DIAL_MS,
    // A stack trace a request costs more than the request.
    noAsyncTraces: true,
  }
  endLostConnections()
  const connection = await firstConnection(options, log)
  outliveRefusals(connection)
  warnOfSmallMessages(connection, log)
  writeByTurn(connection)
  askCheaply(connection, address.inboxPrefix)
  const version = () => connection.info?.version ?? ''
  const keepsStreams = () =>
    connection.info?.jetstream === true || connection.info?.cluster !== undefined
  void logRefusals(connection, log)
  void logStatus(connection, log, (replicas ?? 1) > 1 ? version : undefined)
  const js = publishUntilDecided(publishCheaply(connection.jetstream(), connection))
  // Made at first use: an edge that only asks needs no JetStream at its start.
  let manager: Promise<JetStreamManager> | undefined
  const jsm = () => {
    manager ??= connection.jetstreamManager({ checkAPI: false })
    return manager
  }
  const impatient = {
    js: connection.jetstream({ timeout: CREATED_WITHIN_MS }),
    jsm: () => connection.jetstreamManager({ checkAPI: false, timeout: CREATED_WITHIN_MS }),
  }
  const keeping: Keeping = { js, jsm, impatient, replicas, version, keepsStreams, log }
  const open = async (stream: StreamName) => {
    await ensureStream(keeping, stream)
    return { stream, js, jsm: await jsm(), log }
  }
  const openBucket = async (bucket: BucketName) => ({
    ...{ bucket, js, connection, log },
    kv: await ensureBucket(keeping, bucket),
  })
  const bus = makeCoreBus(connection, log, watchSilence(connection, log))
  return {
    bus,
    journal: async (stream) => makeJournal(await open(stream)),
    jobReader: async () => makeJournalReader(await open('JOB')),
    archive: async () => makeArchive(await open('DONE')),
    facts: async () => makeFacts((await open('FACT')).js),
    factReader: async () => makeFactReader(await open('FACT')),
    deliveryHistory: async () => makeDeliveryHistory(await open('ATTEMPT')),
    registry: async (bucket) => makeRegistry(await openBucket(bucket)),
    mirror: async (bucket, parse) => makeMirror({ ...(await openBucket(bucket)), parse }),
    webhookQueues: async () => makeWebhookQueues(await open('FACT'), await open('HOOK')),
    makeAll: async () => {
      const [streams, buckets] = [Object.keys(STREAMS), Object.keys(BUCKETS)]
      await Promise.all([
        ...streams.map((name) => ensureStream(keeping, name as StreamName)),
        ...buckets.map((name) => ensureBucket(keeping, name as BucketName)),
      ])
    },
    keepsStreams,
    storedBytes: async () => {
      const { storage } = await (await impatient.jsm()).getAccountInfo()
      // It adds up all copies. Where there are more servers than copies, the fullest has at most this.
      return storage / (replicas ?? 1)
    },
    close: bus.close,
  }
}

/** @param version of the server; undefined: any will do */
async function logStatus(
  connection: NatsConnection,
  log: Log,
  version: (() => string) | undefined,
): Promise<void> {
  let isAway = false
  for await (const status of connection.status()) {
    // A server that turns us away ends a connection ten times a second.
    if (status.type === Events.Disconnect && !isAway) {
      isAway = true
      log.warn({ server: status.data }, 'nats: disconnected')
    }
    const refused = status.permissionContext
    // Refused words are told of by nothing else: whoever said them goes on as if they had arrived.
    if (refused && !isMaking(refused.subject)) {
      log.error({ ...refused }, 'nats: not permitted to this user: see deploy/nats-users.conf')
    }
    if (status.type !== Events.Reconnect) continue
    isAway = false
    log.info({ server: status.data }, 'nats: connected again')
    if (version && !isSafe(version())) {
      log.error(
        { version: version() },
        'nats: a server too old for streams with replicas: update it',
      )
    }
  }
}
