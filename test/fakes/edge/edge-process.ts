import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type CatalogueRecord, catalogueKey } from '../../../src/messages/catalogue.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { LANES, SUBJECTS } from '../../../src/messages/subjects.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { freePort, type Server, startNats, startRedis } from '../../integration/servers.ts'
import { until } from '../../until.ts'
import { LINEUP } from '../memory-catalogue.ts'
import {
  accept,
  chunksOf,
  completed,
  ESCROW,
  KEY,
  MODEL,
  poolSummary,
  settlementSent,
  WALLET,
  wellLane,
} from './stage.ts'

/** The edge as it is run: its own process, a real NATS and Redis, everyone else played here. */
export interface EdgeProcess {
  readonly nats: Server
  readonly redis: Server
  readonly bus: Nats
  readonly edge: ChildProcess
  readonly url: string
  /** Resolves with its code once the edge has ended. */
  readonly exited: Promise<number | null>
  /** Whether the account actor answers: it reads the chain. */
  chainAnswers: boolean
  stop(): Promise<void>
}

const log = pino({ level: 'silent' })

export async function startEdgeProcess(): Promise<EdgeProcess> {
  const nats = await startNats()
  const redis = await startRedis()
  const bus = await connectNats({ servers: nats.url, name: 'test', log })
  const store = await connectRedis({ url: redis.url, log })
  const dir = mkdtempSync(join(tmpdir(), 'svc-edge-'))
  const port = await freePort()
  const edge = spawnEdge({ nats, redis, dir, port })
  const stopPlaying = await playTheOthers(bus, store, () => world.chainAnswers)
  const world: EdgeProcess = {
    nats,
    redis,
    bus,
    edge,
    url: `http://127.0.0.1:${port}`,
    exited: new Promise((resolve) => edge.once('exit', resolve)),
    chainAnswers: true,
    stop: async () => {
      stopPlaying()
      edge.kill('SIGKILL')
      await bus.close()
      await store.close()
      await nats.stop()
      await redis.stop()
      rmSync(dir, { recursive: true })
    },
  }
  // A hook that fails leaves nothing to stop: what was started would hold the test open.
  await untilServing(world).catch(async (error: unknown) => {
    await world.stop()
    throw error
  })
  return world
}

function spawnEdge(options: { nats: Server; redis: Server; dir: string; port: number }) {
  const { nats, redis, dir, port } = options
  const contracts = join(dir, 'contracts.json')
  writeFileSync(
    contracts,
    JSON.stringify({
      chain_id: 31_337,
      job_escrow: ESCROW,
      worker_staking: ESCROW,
      usdg: ESCROW,
      r_compute: ESCROW,
      model_registry: ESCROW,
      governor: ESCROW,
      timelock: ESCROW,
      deploy_block: 0,
    }),
  )
  return spawn(process.execPath, ['src/network/program.mjs', 'edge'], {
    env: {
      PATH: process.env.PATH,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      CONTRACTS_FILE: contracts,
      EDGE_PORT: String(port),
      EDGE_BURST: '0',
      LEAVE_SECONDS: '3',
      LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

const TEXTS = ['Hel', 'lo ', 'wörld']

async function playTheOthers(nats: Nats, store: Store, chainAnswers: () => boolean) {
  const { bus } = nats
  const keys = await nats.registry('KEYS')
  await keys.set(apiKeyHash(KEY), { wallet: WALLET, createdAt: 1, status: 'active' })
  const catalogue: CatalogueRecord = { models: LINEUP }
  const models = await nats.registry('MODELS')
  await models.set(catalogueKey({ chainId: 31_337, modelRegistry: ESCROW }), catalogue)
  const account = {
    available: toCredits(100_000),
    locked: toCredits(0),
    lastTopupAt: toUnixMs(1e12),
    block: 1,
  }
  bus.subscribe(SUBJECTS.accountLoad, async (_message, _subject, respond) => {
    if (!chainAnswers()) return
    await store.ledger.load(WALLET, account).catch(() => {}) // with Redis away nobody is answered
    respond({ type: 'loaded' })
  })
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const command = message as JobCommand
    respond(accept(command))
    if (command.type !== 'StartJob') return
    const { jobId, replyTo } = command
    bus.publish(replyTo, chunksOf(jobId, TEXTS))
    bus.publish(replyTo, [completed(jobId, TEXTS), settlementSent(jobId)])
  })
  const timer = setInterval(() => {
    bus.publish(SUBJECTS.poolSummary, poolSummary({ [MODEL]: {} }, 'pool'))
    for (const lane of LANES) bus.publish(SUBJECTS.laneHealth, wellLane(lane))
  }, 200)
  return () => clearInterval(timer)
}

async function untilServing(world: EdgeProcess): Promise<void> {
  let live = false
  const poll = setInterval(async () => {
    const response = await askEdge(world, '/v1/models').catch(() => undefined)
    live = response?.status === 200 && (await response.text()).includes(MODEL)
  }, 100)
  try {
    await until('the edge lists the model', () => live, 60_000)
  } finally {
    clearInterval(poll)
  }
}

export const askEdge = ({ url }: EdgeProcess, path: string, body?: unknown, headers: object = {}) =>
  fetch(`${url}${path}`, {
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
