import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ChannelCredentials, credentials } from '@grpc/grpc-js'
import { WorkerServiceClient } from '../../proto/gen/svc/worker/v1/worker.ts'
import { ConfigError } from '../config/read.ts'
import { bareHost } from '../domain/bare-host.ts'
import { isLoopback } from '../domain/loopback.ts'
import { tlsTo } from './address-credentials.ts'
import type { PoolCall } from './outgoing.ts'

/** A pool as the operator names it. */
export interface PoolAddress {
  readonly target: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** PEM: who may have signed the pool's certificate; undefined: whom this machine trusts. */
  readonly authorities?: Buffer
}

/** One pool to dial. */
export interface PoolTarget {
  /** host:port */
  readonly target: string
  readonly tls: boolean
  readonly authorities?: Buffer
  /** Where `target` is one of the machines of a name: what a certificate must be for. */
  readonly name?: { readonly host: string; readonly authority: string }
}

const SCHEMES: Readonly<Record<string, { tls: boolean; port: number }>> = {
  http: { tls: false, port: 80 },
  grpc: { tls: false, port: 50_051 },
  https: { tls: true, port: 443 },
  grpcs: { tls: true, port: 443 },
}
const PORT_MAX = 65_535
const ADDRESS = /^(?:(\w+):\/\/)?(\[[0-9a-f:]+\]|[^/:\s]+)(?::(\d+))?\/?$/i

/**
 * The pools to dial, in the operator's order.
 * @throws {ConfigError} where one is no address, or prompts would cross a network in the clear
 */
export function requireTls(settings: {
  readonly POOL_URL: string
  readonly POOL_CA: string
  readonly WORKER_INSECURE: boolean
}): readonly PoolAddress[] {
  const authorities = settings.POOL_CA ? readAuthorities(settings.POOL_CA) : undefined
  const urls = settings.POOL_URL.split(',').map((url) => url.trim())
  return urls.map((url) => {
    const address = { ...parsePoolUrl(url), ...(authorities && { authorities }) }
    if (address.tls || settings.WORKER_INSECURE || isLoopback(address.host)) return address
    throw new ConfigError(
      `--pool ${url} is another machine without TLS, so that anybody between could read ` +
        'and change what is said: use https://, or --insecure where you trust the network between',
    )
  })
}

/** @throws {ConfigError} where the file is not there, or holds no certificate */
function readAuthorities(path: string): Buffer {
  let pem: Buffer
  try {
    pem = readFileSync(path)
  } catch (error) {
    throw new ConfigError(`--pool-ca ${path} cannot be read: ${(error as Error).message}`)
  }
  try {
    new X509Certificate(pem)
  } catch {
    throw new ConfigError(`--pool-ca ${path} holds no certificate: it must be a PEM file of some`)
  }
  return pem
}

/**
 * Reads the address of a pool.
 * @throws {ConfigError} saying which forms there are
 */
export function parsePoolUrl(url: string): PoolAddress {
  const [, name = 'grpc', host, port] = ADDRESS.exec(url) ?? []
  const scheme = SCHEMES[name.toLowerCase()]
  if (!host || !scheme) {
    throw new ConfigError(
      `--pool ${url} is not usable: give host:port or http://host:port without TLS, ` +
        'https://host:port or grpcs://host:port with it, several separated by commas',
    )
  }
  const usedPort = Number(port ?? scheme.port)
  if (usedPort < 1 || usedPort > PORT_MAX) {
    throw new ConfigError(`--pool ${url} is not usable: a port is between 1 and ${PORT_MAX}`)
  }
  return { target: `${host}:${usedPort}`, host, port: usedPort, tls: scheme.tls }
}

/** What one prompt of 4 MiB and its framing need, with room to spare. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024

/**
 * Opens one stream on a connection of its own; `close` when it is over. A new connection for each
 * dial, so that the agent's own waiting alone says when the next one is tried.
 */
export function dial(pool: PoolTarget): { call: PoolCall; close(): void } {
  const { target, name } = pool
  const host = bareHost(target.slice(0, target.lastIndexOf(':')))
  const client = new WorkerServiceClient(target, credentialsFor(host, pool), {
    'grpc.keepalive_time_ms': 5_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    // gRPC would ask the proxy of this machine's network for its own loopback.
    'grpc.enable_http_proxy': isLoopback(host) ? 0 : 1,
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
    ...(name && {
      'grpc.ssl_target_name_override': name.host,
      'grpc.default_authority': name.authority,
    }),
  })
  return { call: client.connect(), close: () => client.close() }
}

function credentialsFor(host: string, { tls, authorities, name }: PoolTarget): ChannelCredentials {
  if (!tls) return credentials.createInsecure()
  return name ? credentials.createSsl(authorities) : tlsTo(host, authorities)
}

/** The pool, in words for the operator. */
export const told = ({ target, name }: PoolTarget): string =>
  name ? `${target} (${name.authority})` : target
