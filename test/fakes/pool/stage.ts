import type { ChatRequest } from '../../../src/domain/chat.ts'
import { type Address, type JobId, makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { domainSeparator } from '../../../src/domain/proof.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { Chunk, EdgeMessage } from '../../../src/messages/edge.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import type { RegisterWorker } from '../../../src/messages/lane.ts'
import type { OfferJob, OfferReply, PoolSummary } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { meetWorker } from '../../../src/pool/connect.ts'
import { Pool } from '../../../src/pool/pool.ts'
import { Departures } from '../../../src/pool/session/departures.ts'
import { Enrolment } from '../../../src/pool/session/enrolment.ts'
import { Newcomers } from '../../../src/pool/session/newcomers.ts'
import { listen, type ServerOptions } from '../../../src/pool/session/server.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { Agent } from '../../../src/worker/agent.ts'
import type { Engine } from '../../../src/worker/engine.ts'
import { Identity } from '../../../src/worker/identity.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { SOON_MS, until } from '../../until.ts'
import { ToldFacts } from '../chain/told-facts.ts'
import { MemoryCatalogue } from '../memory-catalogue.ts'
import { MemoryOutputs } from '../memory-outputs.ts'
import { MemoryRegistry } from '../memory-registry.ts'
import { noMetrics } from '../no-metrics.ts'
import { TurnBus } from './turn-bus.ts'
import { WorkerChain } from './worker-chain.ts'

export const MODEL = 'Qwen/Qwen3-8B'
export const WALLET = toAddress(`0x${'11'.repeat(20)}`)
export const OTHER_WALLET = toAddress(`0x${'12'.repeat(20)}`)
export const ESCROW_TX = toHex32(`0x${'44'.repeat(32)}`)
export const EDGE = SUBJECTS.edgeInbox('test')
const CHAIN_ID = 31_337
const ESCROW = toAddress(`0x${'33'.repeat(20)}`)
const STAKING = toAddress(`0x${'55'.repeat(20)}`)
const NETWORK = `${CHAIN_ID}.${STAKING}`
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
  readonly catalogue = new MemoryCatalogue()
  readonly outputs = new MemoryOutputs()
  readonly strikes = new MemoryRegistry()
  /** What workers have shown by canary jobs. */
  readonly admitted: MemoryRegistry
  /** Commands that jobs were sent, in order. */
  readonly told: JobCommand[] = []
  readonly chunks: Chunk[] = []
  /** Messages that reached the edge, each with any number of chunks. */
  edgeMessages = 0
  summary: PoolSummary | undefined
  readonly chain = new WorkerChain()
  readonly facts = new ToldFacts()
  /** Whom the network has been told of. */
  readonly marks = new MemoryRegistry()
  /** How many commands jobs leave unanswered before they answer. */
  deafFor = 0
  /** What jobs answer, where it matters. */
  readonly replies = new Map<JobId, JobReply>()
  readonly pool: Pool
  private readonly clock: Clock
  private readonly agents: Agent[] = []
  private port = 0
  private closeServer = async () => {}

  /** @param canary whether workers must pass canary jobs: a test that scripts its workers has none */
  constructor({
    canary = false,
    admitted = new MemoryRegistry(),
    clock = systemClock,
    workersMax = 100,
  } = {}) {
    this.admitted = admitted
    this.clock = clock
    this.bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
      if (this.deafFor-- > 0) return
      this.told.push(message as JobCommand)
      const { jobId } = message as JobCommand
      respond(this.replies.get(jobId) ?? { type: 'accepted' })
    })
    this.bus.subscribe(EDGE, (message) => {
      this.edgeMessages++
      for (const each of message as EdgeMessage[]) if (each.type === 'chunk') this.chunks.push(each)
    })
    this.bus.subscribe(SUBJECTS.poolSummary, (message) => {
      this.summary = message as PoolSummary
    })
    this.bus.subscribe(SUBJECTS.workerRegister, (message, _subject, respond) => {
      respond(this.chain.register(message as RegisterWorker))
    })
    this.pool = new Pool({
      poolId: 'p',
      bus: this.bus,
      catalogue: this.catalogue,
      outputs: this.outputs,
      strikes: this.strikes,
      admitted: canary ? this.admitted : undefined,
      metrics: noMetrics,
      clock,
      log,
      escrowSeparator: ESCROW_SEPARATOR,
      workersMax,
      leaveMs: 0,
      drainMs: 15_000,
    })
  }

  get url(): string {
    return `127.0.0.1:${this.port}`
  }
  get listensAt(): number {
    return this.port
  }

  async open(tls: ServerOptions['tls'] = undefined): Promise<this> {
    const { pool, catalogue, chain, bus, facts, marks } = this
    const around = { clock: this.clock, log }
    const enrolment = new Enrolment({ bus, chain, ...around })
    const newcomers = new Newcomers({ facts, marks, network: NETWORK, ...around })
    const forget = (worker: Address) => enrolment.forget(worker)
    const departures = new Departures({ chain, forget, ...around })
    departures.start()
    const contracts = { chainId: CHAIN_ID, jobEscrow: ESCROW, workerStaking: STAKING }
    const house = { pool, catalogue, enrolment, newcomers, departures }
    const deps = { ...house, ...around, ...contracts }
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      tls,
      onWorker: (call) => void meetWorker(call, deps),
    })
    this.port = server.port
    this.closeServer = async () => {
      await server.close()
      newcomers.stop()
      departures.stop()
    }
    return this
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()))
    await this.pool.stop()
    await this.closeServer()
  }

  /** A real agent, connected. */
  async agent(
    engine: Engine,
    { key = 1, slots = 4, signed = new SignedJobs() } = {},
  ): Promise<Agent> {
    const pools = async () => [{ target: this.url, tls: false }]
    const who = { pools, identity: identity(key), signed }
    const agent = new Agent({ ...who, engine, slots, region: 'test', log })
    this.agents.push(agent)
    const before = this.workers()
    agent.start()
    await until('an agent to join', () => this.workers() > before, SOON_MS)
    return agent
  }

  lastAgent = (): Agent => this.agents.at(-1)!
  workers = (model = MODEL): number => this.summary?.models[model]?.workers ?? 0
  load = (model = MODEL) => this.summary?.models[model]

  /** @param prompt null: the pool has to ask for it */
  async offer(more: Partial<OfferJob> = {}, prompt: Partial<ChatRequest> | null = {}) {
    const jobId = more.jobId ?? makeJobId(systemClock.now(), systemClock.randomBytes(16))
    const messages = [{ role: 'user' as const, content: 'hello' }]
    const asked = { model: more.model ?? MODEL, messages, sampling: {}, ...prompt }
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
      ...(prompt ? { prompt: asked } : {}),
      ...more,
    }
    const reply = await this.bus.request<OfferReply>(SUBJECTS.pool('p'), job, SOON_MS)
    return { job, jobId, reply }
  }

  stop = (jobId: JobId, settle: boolean) =>
    this.bus.request(SUBJECTS.pool('p'), { type: 'StopJob', jobId, settle }, SOON_MS)

  /** What a job was told, by type; waits for it. */
  async hears<Type extends JobCommand['type']>(
    jobId: JobId,
    type: Type,
    withinMs = SOON_MS,
  ): Promise<Extract<JobCommand, { type: Type }>> {
    const find = () =>
      this.told.find(
        (command): command is Extract<JobCommand, { type: Type }> =>
          command.jobId === jobId && command.type === type,
      )
    return until(`${type} for ${jobId}`, find, withinMs)
  }

  chunksOf = (jobId: JobId, attempt = 1): Chunk[] =>
    this.chunks.filter((chunk) => chunk.jobId === jobId && chunk.attempt === attempt)
  textOf = (jobId: JobId, attempt = 1): string =>
    this.chunksOf(jobId, attempt)
      .map(({ text }) => text)
      .join('')
}
