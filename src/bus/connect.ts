import { connect, Events, type JetStreamManager, type NatsConnection } from 'nats'
import type { Bus } from '../ports/bus.ts'
import type { Journal } from '../ports/journal.ts'
import type { Registry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'
import { makeCoreBus } from './core-bus.ts'
import { makeJournal } from './journal.ts'
import { makeRegistry } from './registry.ts'
import { BUCKETS, type BucketName, ensureStream, STREAMS, type StreamName } from './streams.ts'

export interface Nats {
  readonly bus: Bus
  journal(stream: StreamName): Promise<Journal>
  registry(bucket: BucketName): Promise<Registry>
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
  return {
    bus: makeCoreBus(connection, log),
    journal: async (stream) => {
      await ensureStream(await jsm(), STREAMS[stream])
      return makeJournal({ stream, js, jsm: await jsm(), log })
    },
    registry: async (bucket) =>
      makeRegistry(await js.views.kv(bucket, BUCKETS[bucket]), connection, log),
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
