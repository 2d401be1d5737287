import { status } from '@grpc/grpc-js'
import type {
  Challenge,
  ConnectResponse,
  Hello,
  Offer,
  Welcome,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import { Refusal_Reason } from '../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../domain/bytes.ts'
import { type JobId, parseJobId } from '../domain/ids.ts'
import { unreachable } from '../domain/result.ts'
import type { Log } from '../telemetry/log.ts'
import type { Engine } from './engine.ts'
import type { Identity } from './identity.ts'
import { JobRun } from './job-run.ts'
import { Outgoing, type PoolCall } from './outgoing.ts'

export interface SessionOptions {
  readonly call: PoolCall
  readonly identity: Identity
  readonly engine: Engine
  /** Catalogue id to context window. */
  readonly models: ReadonlyMap<string, number>
  readonly slots: number
  readonly region: string
  readonly log: Log
  /** Runs of this agent, those of earlier sessions that still wind down included. */
  readonly runs: Set<JobRun>
}

/** How a session ended, in the words of gRPC. */
export interface SessionEnd {
  readonly welcomed: boolean
  readonly code: status
  readonly details: string
}

const PROTOCOL = 1
const AGENT = 'prepaid-inference-agent/0.1.0'
/** A first connection may take a registration on chain. */
const WELCOME_MS = 120_000
/** How long a pool may take to see us off. */
const LEAVE_MS = 1_000
const SILENT_INTERVALS_MAX = 3
const CLOCK_SKEW_WARN_MS = 5_000

/** One stream to one pool, from challenge to end. */
export class Session {
  readonly ended: Promise<SessionEnd>
  private readonly outgoing: Outgoing
  private readonly jobs = new Map<string, JobRun>()
  private escrowSeparator: Uint8Array | undefined
  private welcomed = false
  private draining = false
  private heardAtMs = performance.now()
  /** How far the pool's clock is ahead of ours. */
  private poolAheadMs = 0
  private timer: NodeJS.Timeout

  constructor(private readonly options: SessionOptions) {
    const { call } = options
    this.outgoing = new Outgoing(call)
    this.timer = setTimeout(() => call.cancel(), WELCOME_MS)
    this.ended = new Promise((resolve) => {
      call.on('status', ({ code, details }) => {
        this.close()
        resolve({ welcomed: this.welcomed, code, details })
      })
    })
    // The status says the same; without a listener an error would end the process.
    call.on('error', () => {})
    call.on('end', () => call.end())
    call.on('data', (response: ConnectResponse) => this.receive(response))
  }

  /** Takes no more jobs; resolves when the last one is proven, or after `spanMs`. */
  async drain(spanMs: number): Promise<void> {
    this.draining = true
    if (this.welcomed) this.outgoing.send({ $case: 'drain', value: { reason: 'the agent stops' } })
    const until = performance.now() + spanMs
    while (this.jobs.size > 0 && performance.now() < until) {
      await new Promise<void>((resolve) => setTimeout(resolve, 20))
    }
    const { call } = this.options
    call.end()
    setTimeout(() => call.cancel(), LEAVE_MS).unref()
  }

  private receive({ message }: ConnectResponse): void {
    this.heardAtMs = performance.now()
    switch (message?.$case) {
      case 'challenge':
        this.introduce(message.value)
        return
      case 'welcome':
        this.begin(message.value)
        return
      case 'offer':
        this.consider(message.value)
        return
      case 'cancel':
        this.jobs.get(message.value.jobId)?.stop(message.value.settle ? 'settle' : 'drop')
        return
      case 'heartbeat':
        this.compareClocks(message.value.sentAt)
        return
      case 'drain':
        this.options.log.info({ reason: message.value.reason }, 'pool drains, will dial again')
        return
      case undefined:
        return // a message of a later protocol
      default:
        unreachable(message)
    }
  }

  private introduce(challenge: Challenge): void {
    const { identity, engine, models, slots, region, log, call } = this.options
    try {
      const answer = identity.answer(challenge)
      this.escrowSeparator = answer.escrowSeparator
      const hello: Hello = {
        protocol: PROTOCOL,
        worker: toBytes(identity.address),
        challengeSignature: answer.challengeSignature,
        payee: toBytes(identity.payee),
        registrationSignature: answer.registrationSignature,
        models: [...models].map(([id, contextWindow]) => ({ id, contextWindow })),
        slots,
        engine: engine.name,
        region,
        agent: AGENT,
        sessionToken: Buffer.alloc(0),
        priceFloorBps: 0,
      }
      this.outgoing.send({ $case: 'hello', value: hello })
    } catch (error) {
      log.error({ err: error }, 'the pool sent a challenge that cannot be answered')
      call.cancel()
    }
  }

  private begin({ workerId, pool, heartbeatIntervalMs }: Welcome): void {
    const { identity, models, slots, log } = this.options
    this.welcomed = true
    log.info(
      { workerId, worker: identity.address, pool, slots, models: [...models.keys()] },
      'connected: ready for jobs',
    )
    clearTimeout(this.timer)
    this.timer = setInterval(() => this.beat(heartbeatIntervalMs), heartbeatIntervalMs)
  }

  private beat(intervalMs: number): void {
    if (performance.now() - this.heardAtMs > intervalMs * SILENT_INTERVALS_MAX) {
      this.options.log.warn('the pool keeps silent')
      this.options.call.cancel()
    } else this.outgoing.send({ $case: 'heartbeat', value: { sentAt: Date.now() } })
  }

  private consider(offer: Offer): void {
    const jobId = parseJobId(offer.jobId)
    const refusal = this.refusal(offer)
    if (!jobId.ok || refusal !== undefined || !this.escrowSeparator) {
      const reason = refusal ?? Refusal_Reason.REASON_UNSPECIFIED
      this.outgoing.send({ $case: 'refusal', value: { jobId: offer.jobId, reason } })
      return
    }
    this.outgoing.send({ $case: 'accept', value: { jobId: jobId.value } })
    void this.run(jobId.value, offer, this.escrowSeparator)
  }

  private refusal(offer: Offer): Refusal_Reason | undefined {
    const { models, slots, runs } = this.options
    if (this.draining) return Refusal_Reason.REASON_DRAINING
    if (!models.has(offer.model)) return Refusal_Reason.REASON_MODEL_NOT_SERVED
    if (runs.size >= slots || this.jobs.has(offer.jobId)) return Refusal_Reason.REASON_BUSY
    return this.spanMs(offer) <= 0 ? Refusal_Reason.REASON_TOO_LATE : undefined
  }

  /** Until the deadline, which is given in the pool's time. */
  private spanMs = (offer: Offer): number => offer.deadlineAt - Date.now() - this.poolAheadMs

  private async run(jobId: JobId, offer: Offer, escrowSeparator: Uint8Array): Promise<void> {
    const { engine, identity, log, runs } = this.options
    const deps = { engine, identity, outgoing: this.outgoing, escrowSeparator, log }
    const run = new JobRun(jobId, offer, deps)
    this.jobs.set(jobId, run)
    runs.add(run)
    try {
      await run.run(this.spanMs(offer))
    } finally {
      runs.delete(run)
      this.jobs.delete(jobId)
    }
  }

  private compareClocks(poolSentAt: number): void {
    const aheadMs = poolSentAt - Date.now()
    if (Math.abs(aheadMs - this.poolAheadMs) > CLOCK_SKEW_WARN_MS) {
      this.options.log.warn({ aheadMs }, "the pool's clock differs: set this machine's clock")
    }
    this.poolAheadMs = aheadMs
  }

  private close(): void {
    clearTimeout(this.timer)
    // Nobody can take these proofs any more.
    for (const run of this.jobs.values()) run.stop('drop')
  }
}

/** What an operator can do about the status a session ended with. */
export function adviceFor(code: status): string {
  switch (code) {
    case status.UNAUTHENTICATED:
      return 'the pool does not accept the key: check WORKER_PRIVATE_KEY and POOL_URL'
    case status.INVALID_ARGUMENT:
      return 'the pool does not accept what is offered: check WORKER_MODELS and WORKER_SLOTS'
    case status.FAILED_PRECONDITION:
      return 'the pool cannot take this agent as it is: read the details, or update the agent'
    case status.RESOURCE_EXHAUSTED:
      return 'the pool is full: set POOL_URL to another one'
    case status.ABORTED:
      return 'another agent uses this key: run one agent a WORKER_PRIVATE_KEY'
    default:
      return 'will dial again: where this lasts, check POOL_URL and the network'
  }
}
