import { connect, Events, type JetStreamManager, type NatsConnection } from 'nats'
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
import { makeArchive } from './archive.ts'
import { makeCoreBus } from './core-bus.ts'
import { makeDeliveryHistory } from './delivery-history.ts'
import { makeFactReader } from './fact-reader.ts'
import { makeFacts } from './facts.ts'
import { makeJournal, makeJournalReader } from './journal.ts'
import { makeMirror } from './mirror.ts'
import { makeRegistry } from './registry.ts'
import { BUCKETS, type BucketName, ensureStream, STREAMS, type StreamName } from './streams.ts'
import { makeWebhookQueues } from './webhook-queues.ts'

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

export interface NatsOptions {
  /** Comma-separated URLs. */
  readonly servers: string
  /** Shown in the server's connection list. */
  readonly name: string
  readonly log: Log
}

/** Connects and stays connected: waits for a server at start, reconnects for ever. */
export async function connectNats({ servers, name, log }: NatsOptions): Promise<Nats> {
  const connection = await connect({
    servers: servers.split(',').map((server) => server.trim()),
    name,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    // A server that is stopped but not closed is noticed within six seconds.
    pingInterval: 2_000,
    maxPingOut: 2,
    // A stack trace a request costs more than the request.
    noAsyncTraces: true,
  })
  void logStatus(connection, log)
  const js = connection.jetstream()
  // Made at first use: an edge that only asks needs no JetStream at its start.
  let manager: Promise<JetStreamManager> | undefined
  const jsm = () => {
    manager ??= connection.jetstreamManager()
    return manager
  }
  const open = async (stream: StreamName) => {
    await ensureStream(await jsm(), STREAMS[stream])
    return { stream, js, jsm: await jsm(), log }
  }
  return {
    bus: makeCoreBus(connection, log),
    journal: async (stream) => makeJournal(await open(stream)),
    jobReader: async () => makeJournalReader(await open('JOB')),
    archive: async () => makeArchive(await open('DONE')),
    facts: async () => makeFacts((await open('FACT')).js),
    factReader: async () => makeFactReader(await open('FACT')),
    deliveryHistory: async () => makeDeliveryHistory(await open('ATTEMPT')),
    registry: async (bucket) =>
      makeRegistry(await js.views.kv(bucket, BUCKETS[bucket]), connection, log),
    mirror: async (bucket, parse) =>
      makeMirror({
        kv: await js.views.kv(bucket, BUCKETS[bucket]),
        ...{ bucket, connection, log, parse },
      }),
    webhookQueues: async () => makeWebhookQueues(await open('FACT'), await open('HOOK')),
    close: async () => {
      await connection.drain()
    },
  }
}

async function logStatus(connection: NatsConnection, log: Log): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === Events.Disconnect) log.warn({ server: status.data }, 'nats: disconnected')
    if (status.type === Events.Reconnect) log.info({ server: status.data }, 'nats: connected again')
  }
}
