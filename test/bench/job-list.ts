// What a page of the job list costs, in lists of 1 000, 100 000 and 1 000 000 jobs: through a real edge
// over HTTP, on a real Redis; what a job takes there, and how long it takes to bring it all back.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { Agent, request } from 'undici'
import { makeJobViewRebuilder } from '../../actors/job-views/rebuilder.ts'
import { connectNats, type Nats } from '../../src/bus/connect.ts'
import { toCredits } from '../../src/domain/credits.ts'
import { apiKeyHash } from '../../src/domain/hash.ts'
import { type Address, toAddress } from '../../src/domain/ids.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import { keyRecord } from '../../src/messages/key-record.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { VersionedJob } from '../../src/ports/job-views.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../src/store/connect.ts'
import { freePort, startNats, startRedis } from '../integration/servers.ts'
import { until } from '../until.ts'
import { percentile } from './drive.ts'
import { idOf, jobOf, modelOf } from './job-list-jobs.ts'

const SIZES = [1_000, 100_000, Number(process.env.BENCH_JOBS ?? 1_000_000)]
const REQUESTS = 400
const WARM_UP = 100
/** As many of the largest list's newest jobs as the journal still holds. */
const JOURNALLED = 50_000
const PORTION = 1_000
/** The rarest pair of filters that the jobs have. */
const FILTER = `&status=failed&model=${encodeURIComponent(modelOf(3))}`

interface Customer {
  readonly jobs: number
  readonly wallet: Address
  readonly apiKey: string
}

const customers = SIZES.map((jobs, i): Customer => {
  const wallet = toAddress(`0x${String(i + 1).repeat(40)}`)
  return { jobs, wallet, apiKey: `svc_live_${String(i + 1).repeat(32)}` }
})
const log = pino({ level: process.env.LOG_LEVEL ?? 'error' })
const servers = await Promise.all([startNats(), startRedis()])
const [natsServer, redisServer] = servers
const nats = await connectNats({ servers: natsServer.url, name: 'bench', log })
const store = await connectRedis({ url: redisServer.url, log })
const redis = new Redis(redisServer.url)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
let edge: ChildProcess | undefined
try {
  await letIn(nats, store)
  const memory = await fill()
  const url = await startEdge()
  const pages = await measurePages(url)
  edge?.kill()
  const rebuild = await measureRebuild(nats, store)
  console.log('\nOne page through the edge, milliseconds, p50 / p99\n')
  console.table(pages)
  console.log('\nThe list of a wallet with so many jobs\n')
  console.table(memory)
  console.log('\nAfter FLUSHALL\n')
  console.table(rebuild)
} finally {
  edge?.kill('SIGKILL')
  redis.disconnect()
  await store.close()
  await nats.close()
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function letIn(nats: Nats, store: Store): Promise<void> {
  const keys = await nats.registry('KEYS')
  const account = { available: toCredits(1_000), locked: toCredits(0), lastTopupAt: null, block: 1 }
  for (const { wallet, apiKey } of customers) {
    await keys.set(apiKeyHash(apiKey), keyRecord(apiKey, { wallet, createdAt: 1 }))
    await store.ledger.load(wallet, account)
  }
}

async function fill() {
  const table: Record<string, object> = {}
  for (const { jobs, wallet } of customers) {
    const [bytes, cpuMs, began] = [await usedBytes(), await redisCpuMs(), performance.now()]
    for await (const some of portions(wallet, jobs)) await store.jobViews.put(some)
    table[jobs] = {
      'bytes a job in Redis': Math.round(((await usedBytes()) - bytes) / jobs),
      'Redis µs a put': round((((await redisCpuMs()) - cpuMs) / jobs) * 1_000),
      'puts a second': Math.round(jobs / ((performance.now() - began) / 1_000)),
    }
  }
  const token = await store.jobViews.beginRebuild()
  await store.jobViews.endRebuild(token, 1)
  return table
}

async function* portions(wallet: Address, jobs: number): AsyncGenerator<VersionedJob[]> {
  for (let from = 0; from < jobs; from += PORTION) {
    const count = Math.min(PORTION, jobs - from)
    yield Array.from({ length: count }, (_, i) => jobOf(wallet, from + i))
  }
}

async function startEdge(): Promise<string> {
  const contracts = join(folder, 'contracts.json')
  const escrow = `0x${'33'.repeat(20)}`
  const addresses = {
    ...{ job_escrow: escrow, worker_staking: escrow, usdg: escrow, r_compute: escrow },
    ...{ model_registry: escrow, governor: escrow, timelock: escrow },
  }
  writeFileSync(contracts, JSON.stringify({ chain_id: 1, deploy_block: 0, ...addresses }))
  const port = await freePort()
  edge = spawn(process.execPath, ['src/network/program.mjs', 'edge'], {
    env: {
      PATH: process.env.PATH,
      NATS_URL: natsServer.url,
      REDIS_URL: redisServer.url,
      CONTRACTS_FILE: contracts,
      EDGE_PORT: String(port),
      EDGE_BURST: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await until('the edge', async () => {
    // Ready for chat it never is: nobody here takes jobs.
    const answer = await fetch(`${url}/healthz`).catch(() => undefined)
    return answer?.ok ?? false
  })
  return url
}

async function measurePages(url: string) {
  const places: [string, (jobs: number, limit: number) => string][] = [
    ['first', () => ''],
    ['middle', (jobs) => `&before=${idOf(jobs >> 1)}`],
    ['last', (_, limit) => `&before=${idOf(limit)}`],
    ['upwards from the oldest', () => `&after=${idOf(0)}`],
  ]
  const rows: Record<string, Record<string, string>> = {}
  for (const limit of [20, 100]) {
    for (const [filtered, filter] of [
      ['plain', ''],
      ['status and model', FILTER],
    ]) {
      for (const [place, cursor] of places) {
        const row: Record<string, string> = {}
        for (const customer of customers) {
          const path = `/v1/jobs?limit=${limit}${cursor(customer.jobs, limit)}${filter}`
          row[customer.jobs] = await measure(url + path, customer)
        }
        rows[`${limit} ${filtered}, ${place}`] = row
      }
    }
  }
  const account: Record<string, string> = {}
  for (const each of customers) account[each.jobs] = await measure(`${url}/v1/account`, each)
  rows['(GET /v1/account)'] = account
  return rows
}

async function measure(url: string, { apiKey }: Customer): Promise<string> {
  const dispatcher = new Agent({ connections: 1 })
  const headers = { authorization: `Bearer ${apiKey}` }
  const took: number[] = []
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const began = performance.now()
    const { statusCode, body } = await request(url, { dispatcher, headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${text}`)
    if (i >= WARM_UP) took.push(performance.now() - began)
  }
  await dispatcher.close()
  took.sort((a, b) => a - b)
  return `${round(percentile(took, 0.5))} / ${round(percentile(took, 0.99))}`
}

async function measureRebuild(nats: Nats, store: Store) {
  const { jobs, wallet } = customers.at(-1)!
  const archive = await nats.archive()
  for await (const some of portions(wallet, jobs)) await archive.append(some)
  await fillJournal(nats, wallet, jobs)
  const first = await firstPage(store, wallet)
  await redis.flushall()
  const [began, cpuMs, cpu] = [performance.now(), await redisCpuMs(), process.cpuUsage()]
  const rebuilder = makeJobViewRebuilder({
    views: store.jobViews,
    archive,
    journal: await nats.jobReader(),
    viewOf: ({ body }) => (body as { state: JobView }).state,
    viewedUpTo: async () => 1,
    onLoss: () => {},
    clock: systemClock,
    log,
  })
  await rebuilder.start()
  await until(
    'the rebuild',
    async () => (await store.jobViews.memory()).type === 'complete',
    600_000,
  )
  const seconds = (performance.now() - began) / 1_000
  const used = process.cpuUsage(cpu)
  await rebuilder.stop()
  if ((await firstPage(store, wallet)) !== first) throw new Error('the list came back different')
  return {
    [jobs]: {
      'seconds until complete': round(seconds),
      'CPU seconds of the host': round((used.user + used.system) / 1e6),
      'CPU seconds of Redis': round(((await redisCpuMs()) - cpuMs) / 1_000),
    },
  }
}

async function fillJournal(nats: Nats, wallet: Address, jobs: number): Promise<void> {
  const journal = await nats.journal('JOB')
  for (let from = Math.max(0, jobs - JOURNALLED); from < jobs; from += PORTION) {
    await Promise.all(
      Array.from({ length: Math.min(PORTION, jobs - from) }, async (_, i) => {
        const { view } = jobOf(wallet, from + i)
        const body = { state: view, events: [] }
        await journal.append(SUBJECTS.jobJournal(view.id), 0, { token: view.id, body })
      }),
    )
  }
}

async function firstPage(store: Store, wallet: Address): Promise<string> {
  const page = await store.jobViews.page({ wallet, limit: 100 })
  return JSON.stringify(page, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

async function usedBytes(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
}

async function redisCpuMs(): Promise<number> {
  const info = await redis.info('cpu')
  const of = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]) * 1_000
  return of('used_cpu_sys') + of('used_cpu_user')
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
