// What a plain (not streamed) request costs inside the house at 64 at once: CPU by role, messages by
// subject, appends to each stream, commands of Redis. `npm run bench -- plain`; BENCH_RUNS loads are
// measured one after the other (3), BENCH_JSON names a file for the figures.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { connect } from 'nats'
import { natsAddress } from '../../src/bus/address.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { drive, percentile } from './drive.ts'
import { startTelling } from './peers/processes.ts'
import { cpuMsByRole, natsMessages } from './resources.ts'

const MODEL = 'Qwen/Qwen3-8B'
const LOAD = { requests: 4_000, concurrency: 64, stream: false }
/** Counted apart: who listens to everything makes the server do more. */
const TAPPED = { ...LOAD, requests: 1_000 }
const RUNS = Number(process.env.BENCH_RUNS ?? 3)
/** Settlements, views and the like come after the answers and are part of what they cost. */
const AFTERMATH_MS = 3_000
/** Without the chain, which every way of paying has, and the worker, which is another's. */
const SERVICE = ['edge', 'actors', 'pool', 'nats', 'redis']

const upstream = await startTelling(
  ['--import', 'tsx', join(import.meta.dirname, 'mock-upstream.ts')],
  {},
)
try {
  const network = await startNetwork({
    flags: ['--workers', '1', '--upstream', upstream.url],
    env: { WORKER_SLOTS: '256', LOG_LEVEL: 'warn', EDGE_BURST: '0' },
  })
  try {
    const target = { baseUrl: network.base_url, apiKey: network.api_key, model: MODEL }
    await drive(target, { ...LOAD, requests: 1_500, concurrency: 16 })
    await sleep(AFTERMATH_MS)
    const runs = []
    for (let run = 0; run < RUNS; run++) runs.push(await measure(network, target))
    console.table(runs)
    const subjects = await tap(network, target)
    console.log('Messages a request, by subject, 0.01 or more\n')
    console.table(subjects)
    const file = process.env.BENCH_JSON
    if (file) writeFileSync(file, `${JSON.stringify({ runs, subjects }, null, 2)}\n`)
  } finally {
    await network.stop()
  }
} finally {
  upstream.stop()
}

async function measure(network: Network, target: Parameters<typeof drive>[0]) {
  const before = await counts(network)
  const run = await drive(target, LOAD)
  await sleep(AFTERMATH_MS)
  const after = await counts(network)
  const each = new Map(
    [...after].map(([name, n]) => [name, (n - (before.get(name) ?? 0)) / LOAD.requests]),
  )
  const service = SERVICE.reduce((sum, role) => sum + (each.get(role) ?? 0), 0)
  return {
    'requests/s': Math.round(LOAD.requests / run.seconds),
    failed: run.failed,
    p50: round(percentile(run.wholeMs, 0.5)),
    p99: round(percentile(run.wholeMs, 0.99)),
    service: round(service),
    ...Object.fromEntries([...each].map(([name, n]) => [name, round(n)])),
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

/** Messages a request by kind of subject, as one who hears all of them counts. */
async function tap(network: Network, target: Parameters<typeof drive>[0]) {
  const connection = await connect(natsAddress(network.nats_url))
  const heard = new Map<string, { count: number; bytes: number }>()
  connection.subscribe('>', {
    callback: (_error, { subject, data }) => {
      const kind = kindOf(subject)
      const sum = heard.get(kind) ?? { count: 0, bytes: 0 }
      heard.set(kind, { count: sum.count + 1, bytes: sum.bytes + data.length })
    },
  })
  await connection.flush()
  await drive(target, TAPPED)
  await sleep(AFTERMATH_MS)
  await connection.close()
  return Object.fromEntries(
    [...heard]
      .map(
        ([kind, { count, bytes }]) =>
          [
            kind,
            { messages: round(count / TAPPED.requests), bytes: Math.round(bytes / count) },
          ] as const,
      )
      .filter(([, { messages }]) => messages >= 0.01)
      .sort(([, a], [, b]) => b.messages - a.messages),
  )
}

/** Ids, numbers and hosts left out. */
function kindOf(subject: string): string {
  const isName = /^\d+$|^job_|^host-|^[A-Za-z0-9_-]{16,}$|-[0-9a-f]{8,}$/
  return subject
    .split('.')
    .map((token) => (isName.test(token) ? '*' : token))
    .join('.')
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
