import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Network, startNetwork } from '../../network/network.ts'
import type { Target } from '../drive.ts'
import { chainUse, cpuMsByRole, cpuMsOfTree, lockTimes } from '../resources.ts'
import { richCustomer } from '../rich-customer.ts'
import { type Started, startAt, startTelling } from './processes.ts'

export const MODEL = 'Qwen/Qwen3-8B'

/** Something that stands between callers and one upstream. */
export interface Peer {
  readonly name: string
  readonly target: Target
  /** CPU milliseconds so far, by part. */
  cpu(): ReadonlyMap<string, number>
  /** Of the one that is paid on a chain. */
  readonly chain?: {
    /** Transactions of locks so far, and what they took together from sending to receipt. */
    locks(): Promise<{ readonly count: number; readonly ms: number }>
    /** Jobs so far. */
    settled(): Promise<number>
  }
  stop(): Promise<void>
}

const PACKAGES = join(import.meta.dirname, 'packages')
export const inPackages = (...path: string[]): string => join(PACKAGES, ...path)

/** The peers' packages are many and heavy: they come when they are first measured. */
export function installPeers(): void {
  if (existsSync(inPackages('node_modules', '@x402', 'core'))) return
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status } = spawnSync('npm', args, { cwd: PACKAGES, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci in ${PACKAGES} ended with ${status}`)
}

export async function startOurs(upstreamUrl: string): Promise<Peer & { network: Network }> {
  const network = await startNetwork({
    flags: ['--workers', '1', '--upstream', upstreamUrl],
    env: { WORKER_SLOTS: '1200', LOG_LEVEL: 'warn', EDGE_BURST: '0' },
  })
  const { baseUrl, apiKey } = await richCustomer(network)
  return {
    name: 'this network',
    network,
    target: { baseUrl, apiKey, model: MODEL },
    cpu: () => cpuMsByRole(network),
    chain: {
      locks: () => lockTimes(network),
      settled: async () => (await chainUse(network, 0n)).settled,
    },
    stop: () => network.stop(),
  }
}

export async function startPlainProxy(upstreamUrl: string): Promise<Peer> {
  const file = join(import.meta.dirname, 'plain-proxy.ts')
  const proxy = await startTelling(['--import', 'tsx', file], { UPSTREAM_URL: upstreamUrl })
  return peerOf('plain Fastify proxy', proxy, {})
}

/** With an older @hono/node-server (overrides of packages/package.json): under newer ones its streams fail. */
export async function startPortkey(upstreamUrl: string): Promise<Peer> {
  const file = inPackages('node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')
  const gateway = await startAt((port) => [file, `--port=${port}`, '--headless'], {})
  return peerOf('Portkey gateway', gateway, {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': upstreamUrl,
  })
}

function peerOf(name: string, started: Started, headers: Target['headers']): Peer {
  return {
    name,
    target: {
      baseUrl: `${started.url}/v1`,
      apiKey: 'none',
      model: MODEL,
      ...(headers ? { headers } : {}),
    },
    cpu: () => new Map([['gateway', cpuMsOfTree(started.pid)]]),
    stop: async () => started.stop(),
  }
}
