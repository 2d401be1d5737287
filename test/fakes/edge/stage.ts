import { pino } from 'pino'
import { toCredits } from '../../../src/domain/credits.ts'
import { apiKeyHash, outputHash } from '../../../src/domain/hash.ts'
import { type Address, type JobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import type { ServiceNames } from '../../../src/domain/service-names.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type Edge, makeEdge } from '../../../src/edge/edge.ts'
import type { Chunk, EdgeMessage } from '../../../src/messages/edge.ts'
import type { JobCommand, StartJob } from '../../../src/messages/job.ts'
import type { EdgeEnding, JobReply } from '../../../src/messages/job-reply.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { keyRecord } from '../../../src/messages/key-record.ts'
import type { LaneHealth } from '../../../src/messages/lane.ts'
import { type ModelLoad, POOL_SUMMARY_MS, type PoolSummary } from '../../../src/messages/pool.ts'
import { LANES, type Lane, SUBJECTS } from '../../../src/messages/subjects.ts'
import type { BurstTerms } from '../../../src/ports/burst-buckets.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { KeyUses } from '../../../src/ports/key-uses.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { defaultNames } from '../default-names.ts'
import { MemoryCatalogue } from '../memory-catalogue.ts'
import { MemoryFacts } from '../memory-facts.ts'
import { MemoryOutputs } from '../memory-outputs.ts'
import { MemoryRegistry } from '../memory-registry.ts'
import { noMetrics } from '../no-metrics.ts'
import { CuttableBus } from './cuttable-bus.ts'
import { MemoryBursts } from './memory-bursts.ts'
import { MemoryJobViews } from './memory-job-views.ts'
import { WalletLedger } from './wallet-ledger.ts'
import { WatchedRegistry } from './watched-registry.ts'

export const KEY = `svc_live_${'a'.repeat(32)}`
export const WALLET = toAddress(`0x${'11'.repeat(20)}`)
export const WORKER = toAddress(`0x${'22'.repeat(20)}`)
export const ESCROW = toAddress(`0x${'33'.repeat(20)}`)
export const ESCROW_TX = toHex32(`0x${'44'.repeat(32)}`)
export const SETTLEMENT_TX = toHex32(`0x${'55'.repeat(32)}`)
export const REFUND_TX = toHex32(`0x${'66'.repeat(32)}`)
export const MODEL = 'Qwen/Qwen3-8B'
export const DOCS_URL = 'http://docs.test'

/** An edge on a free port, and hands to play everyone it speaks with. */
export interface Stage {
  readonly url: string
  readonly edge: Edge
  readonly bus: CuttableBus
  readonly catalogue: MemoryCatalogue
  readonly keys: WatchedRegistry
  readonly ledger: WalletLedger
  readonly outputs: MemoryOutputs
  readonly bursts: MemoryBursts
  readonly jobViews: MemoryJobViews
  readonly facts: MemoryFacts
  readonly listeners: MemoryRegistry
  /** Commands that jobs were sent, in order. */
  readonly commands: JobCommand[]
  /** How the job actor answers; replaceable. */
  actor: (command: JobCommand) => JobReply | undefined
  /** What each lane says of itself, twice a second; replaceable. */
  lanes: (lane: Lane) => LaneHealth
  /** Plays the pool and the job once it has started. */
  play: (started: StartJob) => void | Promise<void>
  say(...messages: EdgeMessage[]): void
  fund(credits: number, wallet?: Address): Promise<void>
  summary(models?: Record<string, Partial<ModelLoad>>, poolId?: string): void
  close(): Promise<void>
}

export interface StageOptions {
  readonly clock?: Clock
  /** Another edge of the same house: its inbox has this name. */
  readonly beside?: Stage
  readonly edgeId?: string
  readonly names?: ServiceNames
  readonly docsUrl?: string
  readonly trustProxy?: boolean | string | number
  readonly burst?: BurstTerms
  readonly corsOrigins?: readonly string[]
  readonly jobWindowMs?: number
  /** Whether pools repeat what they said last, as real ones do; one that does not is soon forgotten. */
  readonly poolsSpeakOn?: boolean
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { clock = systemClock, beside, edgeId = 'test' } = options
  const house = beside ?? (await openHouse(clock))
  const { bus, catalogue, keys, ledger, outputs, bursts, jobViews, facts, listeners } = house
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
  const keyUses: KeyUses = { note: async () => {}, lastUse: async () => null }
  const kept = { keys, keyUses, ledger, outputs, bursts, jobViews, facts, listeners }
  const edge = makeEdge(
    { ...kept, bus, catalogue, metrics: noMetrics, clock, log },
    {
      edgeId,
      names: options.names ?? defaultNames,
      docsUrl: options.docsUrl ?? DOCS_URL,
      trustProxy: options.trustProxy ?? false,
      burst: options.burst ?? { perSecond: 1, burst: 0 },
      corsOrigins: new Set(options.corsOrigins),
      jobWindowMs: options.jobWindowMs ?? 120_000,
      leaveMs: 0,
      drainMs: 15_000,
      lockWaitMaxMs: 10_000,
      escrowAddress: ESCROW,
    },
  )
  const url = await edge.listen({ host: '127.0.0.1', port: 0 })
  const stage: Stage = {
    url,
    edge,
    bus,
    catalogue,
    keys,
    ledger,
    outputs,
    bursts,
    jobViews,
    facts,
    listeners,
    commands: [],
    actor: accept,
    lanes: wellLane,
    play: () => {},
    say: (...messages) => bus.publish(SUBJECTS.edgeInbox(edgeId), messages),
    fund: async (credits, wallet = WALLET) => {
      const account = {
        available: toCredits(credits),
        locked: toCredits(0),
        lastTopupAt: toUnixMs(1e12),
        block: 1,
      }
      await ledger.load(wallet, account)
    },
    summary: (models = { [MODEL]: {} }, poolId = 'pool') => {
      bus.publish(SUBJECTS.poolSummary, poolSummary(models, poolId))
    },
    close: async () => {
      stopLanes()
      stopPools()
      await edge.stop()
    },
  }
  const stopLanes = clock.every(500, () => {
    for (const lane of LANES) bus.publish(SUBJECTS.laneHealth, stage.lanes(lane))
  })
  // The jobs of a house answer to all of its edges; the first stage plays them, and its pools.
  if (!beside) playJobs(stage)
  const speakOn = !beside && (options.poolsSpeakOn ?? true)
  const stopPools = speakOn ? repeatSummaries(bus, clock) : () => {}
  await stage.fund(1_000)
  stage.summary()
  await new Promise((resolve) => setImmediate(resolve))
  return stage
}

type House = Pick<
  Stage,
  | 'bus'
  | 'catalogue'
  | 'keys'
  | 'ledger'
  | 'outputs'
  | 'bursts'
  | 'jobViews'
  | 'facts'
  | 'listeners'
>

async function openHouse(clock: Clock): Promise<House> {
  const keys = new WatchedRegistry()
  const record = keyRecord(KEY, { wallet: WALLET, createdAt: 1_700_000_000_000 })
  await keys.set(apiKeyHash(KEY), record)
  return {
    bus: new CuttableBus(),
    catalogue: new MemoryCatalogue(),
    keys,
    ledger: new WalletLedger(),
    outputs: new MemoryOutputs(),
    bursts: new MemoryBursts(clock),
    jobViews: new MemoryJobViews(),
    facts: new MemoryFacts(),
    listeners: new MemoryRegistry(),
  }
}

/** What each pool said last, again and again: no test may be a race with its silence. */
function repeatSummaries(bus: CuttableBus, clock: Clock): () => void {
  const last = new Map<string, PoolSummary>()
  const { unsubscribe } = bus.subscribe(SUBJECTS.poolSummary, (message) => {
    const summary = message as PoolSummary
    last.set(summary.poolId, summary)
  })
  const stop = clock.every(POOL_SUMMARY_MS, () => {
    for (const summary of last.values()) bus.publish(SUBJECTS.poolSummary, summary)
  })
  return () => {
    stop()
    unsubscribe()
  }
}

function playJobs(stage: Stage): void {
  stage.bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const command = message as JobCommand
    stage.commands.push(command)
    const reply = stage.actor(command)
    if (reply) respond(reply)
    if (command.type === 'StartJob') void stage.play(command)
  })
}

export function poolSummary(
  models: Record<string, Partial<ModelLoad>>,
  poolId: string,
): PoolSummary {
  const load: ModelLoad = {
    workers: 1,
    slots: 8,
    busy: 0,
    queued: 0,
    firstTokenMs: 120,
    firstTokensMs: [120],
    measured: 1,
    completionRate: 1,
    contextWindow: 32_768,
  }
  const entries = Object.entries(models).map(([id, part]) => [id, { ...load, ...part }])
  return { poolId, draining: false, models: Object.fromEntries(entries) }
}

export const wellLane = (lane: Lane): LaneHealth => ({
  lane,
  heldUp: null,
  waiting: 0,
  oldestMs: 0,
})

export const accept = (command: JobCommand): JobReply => ({
  type: 'accepted',
  // A job that is joined must have some time left.
  view: viewOf(
    command.jobId,
    command.type === 'JoinJob' ? { createdAt: toUnixMs(Date.now()) } : {},
  ),
  ending: null,
})

export function viewOf(id: JobId, more: Partial<JobView> = {}): JobView {
  return {
    id,
    wallet: WALLET,
    status: 'pending',
    model: MODEL,
    tier: 'standard',
    lock: toCredits(8),
    charged: toCredits(0),
    worker: null,
    createdAt: toUnixMs(1_700_000_000_000),
    completedAt: null,
    escrowTx: null,
    settlementTx: null,
    refundTx: null,
    disputeTx: null,
    disputedHash: null,
    block: null,
    proofHash: null,
    usage: null,
    ...more,
  }
}

/** The chunks of one attempt. */
export const chunksOf = (jobId: JobId, texts: readonly string[], attempt = 1): Chunk[] =>
  texts.map((text, seq) => ({
    type: 'chunk',
    jobId,
    attempt,
    seq,
    text,
    ...(seq === 0 ? { head: { worker: WORKER, escrowTx: ESCROW_TX } } : {}),
  }))

export const completed = (
  jobId: JobId,
  texts: readonly string[],
  attempt = 1,
): Extract<EdgeEnding, { type: 'completed' }> => ({
  type: 'completed',
  jobId,
  attempt,
  chunks: texts.length,
  worker: WORKER,
  escrowTx: ESCROW_TX,
  usage: { promptTokens: 5, completionTokens: texts.length },
  finishReason: 'stop',
  outputHash: outputHash(texts.join('')),
  charged: toCredits(8),
  lock: toCredits(8),
})

export const settlementSent = (jobId: JobId): EdgeMessage => ({
  type: 'settlement_sent',
  jobId,
  tx: SETTLEMENT_TX,
})

export const chat = (more: Record<string, unknown> = {}) => ({
  model: MODEL,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
})

/** The JSON of an answer, whose shape is the test's business. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what any client may meet
export const jsonOf = async (response: Response): Promise<any> => response.json()

/** A request with the stage's key and a deadline. */
export async function call(
  stage: Stage,
  path: string,
  options: {
    body?: unknown
    key?: string | null
    method?: string
    headers?: object
    signal?: AbortSignal
  } = {},
): Promise<Response> {
  const key = options.key === undefined ? KEY : options.key
  const raw = typeof options.body === 'string' ? options.body : JSON.stringify(options.body)
  return fetch(`${stage.url}${path}`, {
    method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: raw }),
    signal: AbortSignal.any([
      AbortSignal.timeout(20_000),
      ...(options.signal ? [options.signal] : []),
    ]),
  })
}
