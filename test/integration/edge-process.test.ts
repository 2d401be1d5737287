import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../src/bus/connect.ts'
import { toCredits } from '../../src/domain/credits.ts'
import { apiKeyHash } from '../../src/domain/hash.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { connectRedis, type Store } from '../../src/store/connect.ts'
import { eventsOf, openChat, readAll } from '../fakes/edge/raw-http.ts'
import {
  accept,
  chat,
  chunksOf,
  completed,
  ESCROW,
  eventually,
  KEY,
  MODEL,
  poolSummary,
  settlementSent,
  WALLET,
} from '../fakes/edge/stage.ts'
import { freePort, type Server, startNats, startRedis } from './servers.ts'

/** The edge as it is run: its own process, a real NATS and Redis, everyone else played here. */
interface World {
  nats: Server
  redis: Server
  bus: Nats
  store: Store
  edge: ChildProcess
  url: string
  dir: string
  cancelSummaries: () => void
  exited: Promise<number | null>
}

const log = pino({ level: 'silent' })
const Process = suite<World>('edge process')

Process.before(async (world) => {
  world.nats = await startNats()
  world.redis = await startRedis()
  world.bus = await connectNats({ servers: world.nats.url, name: 'test', log })
  world.store = await connectRedis({ url: world.redis.url, log })
  world.dir = mkdtempSync(join(tmpdir(), 'svc-edge-'))
  await playTheOthers(world)
  await startEdge(world)
})
Process.after(async (world) => {
  world.cancelSummaries()
  world.edge.kill('SIGKILL')
  await world.bus.close()
  await world.store.close()
  await world.nats.stop()
  await world.redis.stop()
  rmSync(world.dir, { recursive: true })
})

async function playTheOthers(world: World): Promise<void> {
  const { bus } = world.bus
  const keys = await world.bus.registry('KEYS')
  await keys.set(apiKeyHash(KEY), { wallet: WALLET, createdAt: 1, status: 'active' })
  const account = { available: toCredits(100_000), lastTopupAt: toUnixMs(1e12), block: 1 }
  bus.subscribe(SUBJECTS.accountLoad, async (_message, _subject, respond) => {
    await world.store.ledger.load(WALLET, account)
    respond({ type: 'loaded' })
  })
  bus.subscribe('cmd.*.*', (message, _subject, respond) => {
    const command = message as JobCommand
    respond(accept(command))
    if (command.type !== 'StartJob') return
    const { jobId, replyTo } = command
    bus.publish(replyTo, chunksOf(jobId, TEXTS))
    bus.publish(replyTo, [completed(jobId, TEXTS), settlementSent(jobId)])
  })
  const timer = setInterval(() => {
    bus.publish(SUBJECTS.poolSummary, poolSummary({ [MODEL]: {} }, 'pool'))
  }, 200)
  world.cancelSummaries = () => clearInterval(timer)
}

const TEXTS = ['Hel', 'lo ', 'wörld']

async function startEdge(world: World): Promise<void> {
  const contracts = join(world.dir, 'contracts.json')
  writeFileSync(
    contracts,
    JSON.stringify({
      chain_id: 31_337,
      job_escrow: ESCROW,
      worker_staking: ESCROW,
      usdg: ESCROW,
      deploy_block: 0,
    }),
  )
  const port = await freePort()
  world.url = `http://127.0.0.1:${port}`
  world.edge = spawn(process.execPath, ['--import', 'tsx', 'src/edge/main.ts'], {
    env: {
      PATH: process.env.PATH,
      NATS_URL: world.nats.url,
      REDIS_URL: world.redis.url,
      CONTRACTS_FILE: contracts,
      EDGE_PORT: String(port),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  world.exited = new Promise((resolve) => world.edge.once('exit', resolve))
  let live = false
  const poll = setInterval(async () => {
    const response = await ask(world, '/v1/models').catch(() => undefined)
    live = response?.status === 200 && (await response.text()).includes(MODEL)
  }, 100)
  try {
    await eventually(() => live, 'the edge lists the model', 20_000)
  } finally {
    clearInterval(poll)
  }
}

const ask = ({ url }: World, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  })

Process('is ready, and answers plainly', async (world) => {
  assert.is((await ask(world, '/readyz')).status, 200)
  const response = await ask(world, '/v1/chat/completions', chat())
  assert.is(response.status, 200)
  assert.match(await response.text(), /"content":"Hello wörld"/)
  assert.ok(response.headers.get('x-svc-settlement-tx'))
  assert.ok(response.headers.get('x-svc-credits-remaining'))
})

Process('answers as a stream', async ({ url }) => {
  const response = await openChat(url, chat({ stream: true, max_tokens: 10 }))
  const events = eventsOf(await readAll(response))
  const text = events.slice(0, -1).map((event) => event.choices[0].delta.content ?? '')
  assert.is(text.join(''), 'Hello wörld')
  assert.is(events.at(-1), '[DONE]')
})

Process('a revoked key is refused at once', async (world) => {
  const keys = await world.bus.registry('KEYS')
  assert.is((await ask(world, '/v1/account')).status, 200)
  await keys.delete(apiKeyHash(KEY))
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.is((await ask(world, '/v1/account')).status, 401)
  await keys.set(apiKeyHash(KEY), { wallet: WALLET, createdAt: 1, status: 'active' })
  assert.is((await ask(world, '/v1/account')).status, 200)
})

Process('Redis away: 503 at once, and again 200 when it is back', async (world) => {
  await world.redis.crash()
  const answers: number[] = []
  const until = Date.now() + 10_000
  while (answers.at(-1) !== 200 && Date.now() < until) {
    answers.push((await ask(world, '/v1/chat/completions', chat({ max_tokens: 10 }))).status)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.is(answers.at(-1), 200)
  assert.ok(
    answers.every((status) => status === 503 || status === 200),
    String(answers),
  )
})

Process(
  'SIGTERM drains and ends with 0, and waits for no connection that says nothing',
  async (world) => {
    const { hostname, port } = new URL(world.url)
    const silent = connect(Number(port), hostname)
    await once(silent, 'connect')
    const startedAt = performance.now()
    world.edge.kill('SIGTERM')
    assert.is(await world.exited, 0)
    assert.ok(performance.now() - startedAt < 5_000, 'ended at once')
    silent.destroy()
  },
)

Process.run()
