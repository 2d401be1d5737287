import type { ChatRequest } from '../../../src/domain/chat.ts'
import { type JobId, makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { domainSeparator } from '../../../src/domain/proof.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { Chunk, EdgeMessage } from '../../../src/messages/edge.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { OfferJob, OfferReply, PoolSummary } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { meetWorker } from '../../../src/pool/connect.ts'
import { Enrolment } from '../../../src/pool/enrolment.ts'
import { Pool } from '../../../src/pool/pool.ts'
import { listen } from '../../../src/pool/server.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { Agent } from '../../../src/worker/agent.ts'
import type { Engine } from '../../../src/worker/engine.ts'
import { Identity } from '../../../src/worker/identity.ts'
import { PromptStore } from './prompt-store.ts'
import { TurnBus } from './turn-bus.ts'

export const MODEL = 'Qwen/Qwen3-8B'
export const WALLET = toAddress(`0x${'11'.repeat(20)}`)
export const ESCROW_TX = toHex32(`0x${'44'.repeat(32)}`)
export const EDGE = SUBJECTS.edgeInbox('test')
const CHAIN_ID = 31_337
const ESCROW = toAddress(`0x${'33'.repeat(20)}`)
const STAKING = toAddress(`0x${'55'.repeat(20)}`)
export const ESCROW_SEPARATOR = domainSeparator({
  name: 'JobEscrow',
  chainId: CHAIN_ID,
  contract: ESCROW,
})

export const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

/** A worker's key that is the same for the same number. */
export const identity = (n: number): Identity =>
  new Identity(`0x${String(n).padStart(64, '0')}`, undefined)

/** A real pool on a free port, with hands to play the jobs, the edge and the chain. */
export class PoolStage {
  readonly bus = new TurnBus()
  readonly outputs = new PromptStore()
  /** Commands that jobs were sent, in order. */
  readonly told: JobCommand[] = []
  readonly chunks: Chunk[] = []
  /** Messages that reached the edge, each with any number of chunks. */
  edgeMessages = 0
  summary: PoolSummary | undefined
  /** Numbers of workers on chain. */
  readonly registered = new Map<string, number>()
  /** How many commands jobs leave unanswered before they answer. */
  deafFor = 0
  readonly pool: Pool
  private readonly agents: Agent[] = []
  private port = 0
  private closeServer = async () => {}

  constructor() {
    this.bus.subscribe('cmd.*.*', (message, _subject, respond) => {
      if (this.deafFor-- > 0) return
      this.told.push(message as JobCommand)
      respond({ type: 'accepted' })
    })
    this.bus.subscribe(EDGE, (message) => {
      this.edgeMessages++
      for (const each of message as EdgeMessage[]) if (each.type === 'chunk') this.chunks.push(each)
    })
    this.bus.subscribe(SUBJECTS.poolSummary, (message) => {
      this.summary = message as PoolSummary
    })
    this.bus.subscribe(SUBJECTS.workerRegister, (message, _subject, respond) => {
      const { signer } = message as { signer: string }
      this.registered.set(signer, this.registered.size + 1)
      respond({ type: 'registered', workerId: this.registered.size })
    })
    this.pool = new Pool({
      poolId: 'p',
      bus: this.bus,
      outputs: this.outputs,
      clock: systemClock,
      log,
      escrowSeparator: ESCROW_SEPARATOR,
      workersMax: 100,
    })
  }

  get url(): string {
    return `127.0.0.1:${this.port}`
  }

  async open(): Promise<this> {
    const chain = { workerId: async (signer: string) => this.registered.get(signer) }
    const enrolment = new Enrolment({ bus: this.bus, chain, clock: systemClock, log })
    const contracts = { chainId: CHAIN_ID, jobEscrow: ESCROW, workerStaking: STAKING }
    const deps = { pool: this.pool, enrolment, clock: systemClock, log, ...contracts }
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      onWorker: (call) => void meetWorker(call, deps),
    })
    this.port = server.port
    this.closeServer = server.close
    return this
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()))
    await this.pool.stop()
    await this.closeServer()
  }

  /** A real agent, connected. */
  async agent(engine: Engine, { key = 1, slots = 4 } = {}): Promise<Agent> {
    const pool = { target: this.url, tls: false }
    const agent = new Agent({ pool, identity: identity(key), engine, slots, region: 'test', log })
    this.agents.push(agent)
    const before = this.workers()
    agent.start()
    await until(() => this.workers() > before, 'an agent to join')
    return agent
  }

  workers = (model = MODEL): number => this.summary?.models[model]?.workers ?? 0
  load = (model = MODEL) => this.summary?.models[model]

  /** Offers a job and its prompt. */
  async offer(more: Partial<OfferJob> = {}, prompt: Partial<ChatRequest> | null = {}) {
    const jobId = more.jobId ?? makeJobId(systemClock.now(), systemClock.randomBytes(16))
    if (prompt) {
      const messages = [{ role: 'user' as const, content: 'hello' }]
      const request = { model: more.model ?? MODEL, messages, sampling: {}, ...prompt }
      await this.outputs.putPrompt(WALLET, jobId, request)
    }
    const job: OfferJob = {
      type: 'OfferJob',
      jobId,
      attempt: 1,
      wallet: WALLET,
      model: MODEL,
      outputTokensMax: 1_000,
      deadlineAt: addMs(systemClock.now(), 30_000),
      replyTo: EDGE,
      escrowTx: ESCROW_TX,
      exclude: [],
      ...more,
    }
    const reply = await this.bus.request<OfferReply>(SUBJECTS.pool('p'), job, 1_000)
    return { job, jobId, reply }
  }

  stop = (jobId: JobId, settle: boolean) =>
    this.bus.request(SUBJECTS.pool('p'), { type: 'StopJob', jobId, settle }, 1_000)

  /** What a job was told, by type; waits for it. */
  async hears<Type extends JobCommand['type']>(
    jobId: JobId,
    type: Type,
    withinMs = 5_000,
  ): Promise<Extract<JobCommand, { type: Type }>> {
    const find = () =>
      this.told.find(
        (command): command is Extract<JobCommand, { type: Type }> =>
          command.jobId === jobId && command.type === type,
      )
    await until(() => find() !== undefined, `${type} for ${jobId}`, withinMs)
    return find()!
  }

  chunksOf = (jobId: JobId, attempt = 1): Chunk[] =>
    this.chunks.filter((chunk) => chunk.jobId === jobId && chunk.attempt === attempt)
  textOf = (jobId: JobId, attempt = 1): string =>
    this.chunksOf(jobId, attempt)
      .map(({ text }) => text)
      .join('')
}

/** Waits until `holds`, with a deadline. */
export async function until(holds: () => boolean, what: string, withinMs = 5_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`)
    await pause(5)
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
