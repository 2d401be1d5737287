import { pino } from 'pino'
import { toCredits } from '../../../src/domain/credits.ts'
import { apiKeyHash, outputHash } from '../../../src/domain/hash.ts'
import { type Address, type JobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type Edge, makeEdge } from '../../../src/edge/edge.ts'
import type { KeyRecord } from '../../../src/messages/account.ts'
import type { Chunk, EdgeMessage } from '../../../src/messages/edge.ts'
import type {
  EdgeEnding,
  JobCommand,
  JobReply,
  JobView,
  StartJob,
} from '../../../src/messages/job.ts'
import type { ModelLoad, PoolSummary } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { CuttableBus } from './cuttable-bus.ts'
import { MemoryOutputs } from './memory-outputs.ts'
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
  readonly keys: WatchedRegistry
  readonly ledger: WalletLedger
  readonly outputs: MemoryOutputs
  /** Commands that jobs were sent, in order. */
  readonly commands: JobCommand[]
  /** How the job actor answers; replaceable. */
  actor: (command: JobCommand) => JobReply | undefined
  /** Plays the pool and the job once it has started. */
  play: (started: StartJob) => void | Promise<void>
  say(...messages: EdgeMessage[]): void
  fund(credits: number, wallet?: Address): Promise<void>
  summary(models?: Record<string, Partial<ModelLoad>>, poolId?: string): void
  close(): Promise<void>
}

export async function openStage({ clock = systemClock }: { clock?: Clock } = {}): Promise<Stage> {
  const bus = new CuttableBus()
  const keys = new WatchedRegistry()
  const ledger = new WalletLedger()
  const outputs = new MemoryOutputs()
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
  const edge = makeEdge(
    { bus, keys, ledger, outputs, clock, log },
    {
      edgeId: 'test',
      docsUrl: DOCS_URL,
      trustProxy: false,
      jobWindowMs: 120_000,
      escrowAddress: ESCROW,
    },
  )
  const url = await edge.listen({ host: '127.0.0.1', port: 0 })
  const stage: Stage = {
    url,
    edge,
    bus,
    keys,
    ledger,
    outputs,
    commands: [],
    actor: accept,
    play: () => {},
    say: (...messages) => bus.publish(SUBJECTS.edgeInbox('test'), messages),
    fund: async (credits, wallet = WALLET) => {
      const account = { available: toCredits(credits), lastTopupAt: toUnixMs(1e12), block: 1 }
      await ledger.load(wallet, account)
    },
    summary: (models = { [MODEL]: {} }, poolId = 'pool') => {
      bus.publish(SUBJECTS.poolSummary, poolSummary(models, poolId))
    },
    close: () => edge.stop(),
  }
  bus.subscribe('cmd.*.*', (message, _subject, respond) => {
    const command = message as JobCommand
    stage.commands.push(command)
    const reply = stage.actor(command)
    if (reply) respond(reply)
    if (command.type === 'StartJob') void stage.play(command)
  })
  const record: KeyRecord = { wallet: WALLET, createdAt: 1_700_000_000_000, status: 'active' }
  await keys.set(apiKeyHash(KEY), record)
  await stage.fund(1_000)
  stage.summary()
  await new Promise((resolve) => setImmediate(resolve))
  return stage
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
    completionRate: 1,
    contextWindow: 32_768,
  }
  const entries = Object.entries(models).map(([id, part]) => [id, { ...load, ...part }])
  return { poolId, draining: false, models: Object.fromEntries(entries) }
}

export const accept = (command: JobCommand): JobReply => ({
  type: 'accepted',
  view: viewOf(command.jobId),
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
  options: { body?: unknown; key?: string | null; method?: string; headers?: object } = {},
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
    signal: AbortSignal.timeout(20_000),
  })
}

/** Waits until `condition` holds, at most `withinMs`. */
export async function eventually(condition: () => boolean, what: string, withinMs = 5_000) {
  const until = Date.now() + withinMs
  while (!condition()) {
    if (Date.now() > until) throw new Error(`still not so after ${withinMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
