import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { type Network, startNetwork } from '../network/network.ts'
import { drive, type Load, percentile, type Run, type Target } from './drive.ts'
import { startMockUpstream } from './peers/processes.ts'
import { cpuMsByRole, natsMessages, perItem } from './resources.ts'
import { richCustomer } from './rich-customer.ts'

/** What a plain (not streamed) request costs in a network, by role and by what is said for it. */

export const LOAD = { requests: 4_000, concurrency: 64, stream: false }
const MODEL = 'Qwen/Qwen3-8B'
/** Settlements, views and the like come after the answers and are part of what they cost. */
export const AFTERMATH_MS = 3_000
/** Without the chain, which every way of paying has, and the worker, which is another's. */
const SERVICE = ['edge', 'actors', 'pool', 'nats', 'redis']
const WARM_UP = { requests: 1_500, concurrency: 16, stream: false }

export interface PlainNetwork {
  readonly network: Network
  /** One for each edge. */
  readonly targets: readonly Target[]
}

/** Runs `use` on a network that is warm. @param flags of `npm start`, besides those about workers */
export async function withPlainNetwork(
  flags: readonly string[],
  use: (plain: PlainNetwork) => Promise<void>,
): Promise<void> {
  const upstream = await startMockUpstream()
  try {
    const network = await startNetwork({
      flags: ['--workers', '1', '--upstream', upstream.url, ...flags],
      env: { WORKER_SLOTS: '256', LOG_LEVEL: 'warn', EDGE_BURST: '0' },
    })
    try {
      const { apiKey } = await richCustomer(network)
      const targets = network.read().base_urls.map((baseUrl) => ({ baseUrl, apiKey, model: MODEL }))
      await driveAll(targets, WARM_UP)
      await sleep(AFTERMATH_MS)
      await use({ network, targets })
    } finally {
      await network.stop()
    }
  } finally {
    upstream.stop()
  }
}

/** Where BENCH_JSON says, if it does. */
export function saveFigures(figures: unknown): void {
  const file = process.env.BENCH_JSON
  if (file) writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
}

/** @returns a row of a table: figures a request, milliseconds of CPU where a role is named */
export async function plainCosts({ network, targets }: PlainNetwork) {
  const before = await counts(network)
  const run = await driveAll(targets, LOAD)
  await sleep(AFTERMATH_MS)
  const after = await counts(network)
  const each = perItem(before, after, LOAD.requests)
  const service = SERVICE.reduce((sum, role) => sum + (each[role] ?? 0), 0)
  return {
    'requests/s': Math.round(LOAD.requests / run.seconds),
    failed: run.failed,
    p50: round(percentile(run.wholeMs, 0.5)),
    p99: round(percentile(run.wholeMs, 0.99)),
    service: round(service),
    ...Object.fromEntries(Object.entries(each).map(([name, n]) => [name, round(n)])),
  }
}

/** The load in equal shares, side by side. */
async function driveAll(targets: readonly Target[], load: Load): Promise<Run> {
  const share = (all: number) => Math.ceil(all / targets.length)
  const { requests, concurrency } = load
  const runs = await Promise.all(
    targets.map((target) =>
      drive(target, { ...load, requests: share(requests), concurrency: share(concurrency) }),
    ),
  )
  const ascending = (times: readonly number[]) => [...times].sort((a, b) => a - b)
  return {
    requests: runs.reduce((sum, run) => sum + run.requests, 0),
    failed: runs.reduce((sum, run) => sum + run.failed, 0),
    seconds: Math.max(...runs.map((run) => run.seconds)),
    firstTokenMs: ascending(runs.flatMap((run) => run.firstTokenMs)),
    wholeMs: ascending(runs.flatMap((run) => run.wholeMs)),
  }
}

/** CPU milliseconds by role, and what NATS, its streams and Redis were asked so far. */
async function counts(network: Network): Promise<Map<string, number>> {
  const found = new Map(cpuMsByRole(network))
  found.set('messages', await natsMessages(network))
  const response = await fetch(`${network.nats_monitor_url}/jsz?streams=true`)
  const { account_details = [] } = (await response.json()) as JetStreamState
  for (const { name, state } of account_details.flatMap(
    ({ stream_detail }) => stream_detail ?? [],
  )) {
    if (['JOB', 'TX', 'DONE'].includes(name)) found.set(name, state.last_seq)
  }
  const redis = new Redis(network.redis_url)
  try {
    const stats = await redis.info('stats')
    found.set('commands', Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]))
  } finally {
    redis.disconnect()
  }
  return found
}

interface JetStreamState {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string
      readonly state: { readonly last_seq: number }
    }[]
  }[]
}

export const round = (value: number): number => Math.round(value * 100) / 100
