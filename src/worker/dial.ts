import { credentials } from '@grpc/grpc-js'
import { WorkerServiceClient } from '../../proto/gen/svc/worker/v1/worker.ts'
import type { PoolCall } from './outgoing.ts'

export interface PoolAddress {
  readonly target: string
  readonly tls: boolean
}

const SCHEMES: Readonly<Record<string, { tls: boolean; port: number }>> = {
  http: { tls: false, port: 80 },
  grpc: { tls: false, port: 50_051 },
  https: { tls: true, port: 443 },
  grpcs: { tls: true, port: 443 },
}
const ADDRESS = /^(?:(\w+):\/\/)?(\[[0-9a-f:]+\]|[^/:\s]+)(?::(\d+))?\/?$/i

/**
 * Reads POOL_URL.
 * @throws saying which forms there are
 */
export function parsePoolUrl(url: string): PoolAddress {
  const [, name = 'grpc', host, port] = ADDRESS.exec(url) ?? []
  const scheme = SCHEMES[name.toLowerCase()]
  if (!host || !scheme) {
    throw new Error(
      `POOL_URL ${url} is not usable: give host:port or http://host:port without TLS, ` +
        'https://host:port or grpcs://host:port with it',
    )
  }
  return { target: `${host}:${port ?? scheme.port}`, tls: scheme.tls }
}

/** What one prompt of 4 MiB and its framing need, with room to spare. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024

/**
 * Opens one stream on a connection of its own; `close` when it is over. A new connection for each
 * dial, so that the agent's own waiting alone says when the next one is tried.
 */
export function dial({ target, tls }: PoolAddress): { call: PoolCall; close(): void } {
  const client = new WorkerServiceClient(
    target,
    tls ? credentials.createSsl() : credentials.createInsecure(),
    {
      'grpc.keepalive_time_ms': 5_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc-node.flow_control_window': 4 * 1024 * 1024,
    },
  )
  return { call: client.connect(), close: () => client.close() }
}
