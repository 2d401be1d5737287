import type { status } from '@grpc/grpc-js'
import type {
  Challenge,
  ConnectResponse,
  Hello,
  Models,
  Offer,
  Standing,
  Welcome,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import { Refusal_Reason } from '../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../domain/bytes.ts'
import { parseJobId } from '../domain/ids.ts'
import { unreachable } from '../domain/result.ts'
import { AGENT_VERSION, commonProtocol, PROTOCOLS } from '../domain/version.ts'
import type { Log } from '../telemetry/log.ts'
import type { AcceptedJobs } from './accepted-jobs.ts'
import { LEFT_OUT, readLeftOut } from './advice.ts'
import type { Engine } from './engine.ts'
import type { Identity } from './identity.ts'
import type { JobRun } from './job-run.ts'
import type { SignedJobs } from './local/signed-jobs.ts'
import { toEngineJob } from './offer.ts'
import type { PoolCall, ToPool } from './outgoing.ts'
import type { Pace } from './pace.ts'
import { PoolClock } from './pool-clock.ts'
import { countPromptTokens } from './word-pieces.ts'

export interface SessionOptions {
  readonly call: PoolCall
  readonly identity: Identity
  readonly engine: Engine
  /** Model id to context window; 0: as the catalogue says. */
  readonly models: ReadonlyMap<string, number>
  readonly slots: number
  readonly region: string
  readonly log: Log
  /** Those of this pool; a session that resumes goes on with them. */
  readonly jobs: AcceptedJobs
  /** Runs of this agent, those of earlier sessions that still wind down included. */
  readonly runs: ReadonlySet<JobRun>
  readonly signed: SignedJobs
  /** Of the models that have been measured. */
  readonly paces: ReadonlyMap<string, Pace>
  readonly hears: SessionListener
}

/** Who wants to know what the pool says and how jobs end. */
export interface SessionListener {
  welcomed(welcome: Welcome): void
  /** What becomes of the models offered. */
  offered(models: Models): void
  stands(standing: Standing): void
  /** The pool asks us to find another. */
  mustMove(): void
}

/** How a session ended, in the words of gRPC. */
export interface SessionEnd {
  readonly welcomed: boolean
  /** One side had said that it leaves. */
  readonly drained: boolean
  readonly code: status
  readonly details: string
  /** False: the pool speaks other versions of the protocol. */
  readonly isSpoken: boolean
}

const AGENT = `prepaid-inference-agent/${AGENT_VERSION}`
/** A pool that does not even begin to speak is none: its machine is off, perhaps. */
const CHALLENGE_MS = 10_000
/** While a pool waits for us, another try is worth more than patience. */
const RESUME_CHALLENGE_MS = 2_000
/** A first connection may take a registration on chain. */
const WELCOME_MS = 120_000
/** No job outlives this. */
export const DRAIN_MS = 150_000
/** How long a pool may take to see us off. */
const LEAVE_MS = 1_000
const SILENT_INTERVALS_MAX = 3
/** No date is later. What a pool says may be in another unit, and must not end this process. */
const LAST_DATE_MS = 8_640_000_000_000_000

/** One stream to one pool, from challenge to end. */
export class Session {
  readonly ended: Promise<SessionEnd>
  private escrowSeparator: Uint8Array | undefined
  private welcomed = false
  private draining = false
  private isSpoken = true
  private heardAtMs = performance.now()
  private beatAtMs = 0
  private readonly poolClock: PoolClock
  private timer: NodeJS.Timeout

  constructor(private readonly options: SessionOptions) {
    const { call } = options
    this.poolClock = new PoolClock(options.log)
    const patienceMs = options.jobs.comebackMs > 0 ? RESUME_CHALLENGE_MS : CHALLENGE_MS
    this.timer = setTimeout(() => call.cancel(), patienceMs)
    this.ended = new Promise((resolve) => {
      call.on('status', ({ code, details }) => {
        this.close()
        const { welcomed, draining: drained, isSpoken } = this
        resolve({ welcomed, drained, code, details, isSpoken })
      })
    })
    // The status says the same; without a listener an error would end the process.
    call.on('error', () => {})
    call.on('end', () => call.end())
    call.on('data', ({ message }: ConnectResponse) => {
      if (message?.$case !== 'batch') return this.receive(message)
      for (const each of message.value.messages) this.receive(each.message)
    })
  }

  /** Takes no more jobs; resolves when the last one is proven, or after `spanMs`. */
  async drain(spanMs: number, reason = 'the agent stops'): Promise<void> {
    this.draining = true
    if (this.welcomed) this.say({ $case: 'drain', value: { reason } })
    const until = performance.now() + spanMs
    while (this.options.jobs.size > 0 && performance.now() < until) {
      await new Promise<void>((resolve) => setTimeout(resolve, 20))
    }
    const { call, jobs } = this.options
    jobs.outgoing.flush()
    call.end()
    setTimeout(() => call.cancel(), LEAVE_MS).unref()
  }

  private receive(message: ConnectResponse['message']): void {
    this.heardAtMs = performance.now()
    switch (message?.$case) {
      case 'challenge':
        this.introduce(message.value)
        return
      case 'welcome':
        this.begin(message.value)
        return
      case 'models':
        this.readTerms(message.value)
        return
      case 'offer':
        this.consider(message.value)
        return
      case 'cancel':
        this.options.jobs.stop(message.value.jobId, message.value.settle ? 'settle' : 'drop')
        return
      case 'heartbeat':
        this.poolClock.hear(message.value.sentAt)
        return
      case 'drain':
        this.options.log.info({ reason: message.value.reason }, 'pool drains, dialling another')
        // Until another pool has us, this one may still have jobs.
        if (this.welcomed) this.options.hears.mustMove()
        else void this.drain(DRAIN_MS, 'the pool drains')
        return
      case 'standing':
        this.options.hears.stands(this.here(message.value))
        return
      case 'batch': // none is in another
      case undefined:
        return // a message of a later protocol
      default:
        unreachable(message)
    }
  }

  private here(standing: Standing): Standing {
    const { restingUntil } = standing
    return { ...standing, restingUntil: restingUntil && this.poolClock.here(restingUntil) }
  }

  private introduce(challenge: Challenge): void {
    const { identity, engine, models, slots, region, log, call } = this.options
    try {
      const answer = identity.answer(challenge)
      this.escrowSeparator = answer.escrowSeparator
      const hello: Hello = {
        protocol: this.protocolWith(challenge),
        worker: toBytes(identity.address),
        challengeSignature: answer.challengeSignature,
        payee: toBytes(identity.payee),
        registrationSignature: answer.registrationSignature,
        models: [...models].map(([id, contextWindow]) => ({ id, contextWindow })),
        slots,
        engine: engine.name,
        region,
        agent: AGENT,
        sessionToken: this.options.jobs.sessionToken,
        resumes: true,
        batches: true,
        priceFloorBps: 0,
      }
      call.write({ message: { $case: 'hello', value: hello } })
      clearTimeout(this.timer)
      this.timer = setTimeout(() => call.cancel(), WELCOME_MS)
    } catch (error) {
      log.error({ err: error }, 'the pool sent a challenge that cannot be answered')
      call.cancel()
    }
  }

  /** The highest that both speak. Where there is none, the pool says who is to be updated. */
  private protocolWith({ protocolMin: min, protocolMax: max }: Challenge): number {
    const common = commonProtocol(PROTOCOLS, { min, max })
    this.isSpoken = common !== undefined
    return common ?? (max < PROTOCOLS.min ? PROTOCOLS.min : PROTOCOLS.max)
  }

  private begin(welcome: Welcome): void {
    const { workerId, pool, heartbeatIntervalMs } = welcome
    const { identity, models, slots, log, jobs, call } = this.options
    this.welcomed = true
    log.info(
      { workerId, worker: identity.address, pool, slots, models: [...models.keys()] },
      'connected: ready for jobs',
    )
    jobs.welcomed(call, welcome)
    this.options.hears.welcomed(welcome)
    clearTimeout(this.timer)
    this.beatAtMs = performance.now()
    this.timer = setInterval(() => this.beat(heartbeatIntervalMs), heartbeatIntervalMs)
  }

  /** What the operator learns of the catalogue on chain. */
  private readTerms(models: Models): void {
    const { log, hears } = this.options
    const { taken } = models
    const leftOut = readLeftOut(models.leftOut)
    hears.offered({ taken, leftOut })
    for (const { id, reason } of leftOut) {
      log.warn({ model: id }, `no jobs of this model: ${LEFT_OUT[reason]}`)
    }
    for (const { id, retiresAt } of taken) {
      if (retiresAt === 0) continue
      const from = new Date(Math.min(retiresAt, LAST_DATE_MS)).toISOString()
      log.warn({ model: id, retiresAt: from }, 'a vote retires this model: then it gets no jobs')
    }
  }

  private beat(intervalMs: number): void {
    const now = performance.now()
    // Halted itself it has not read what the pool said meanwhile, and gives it one more span.
    if (now - this.beatAtMs > intervalMs * 2) this.heardAtMs = now
    this.beatAtMs = now
    if (now - this.heardAtMs > intervalMs * SILENT_INTERVALS_MAX) {
      this.options.log.warn('the pool keeps silent')
      this.options.call.cancel()
    } else this.say({ $case: 'heartbeat', value: { sentAt: Date.now() } })
  }

  private consider(offer: Offer): void {
    const jobId = parseJobId(offer.jobId)
    const refusal = this.refusal(offer)
    if (!jobId.ok || refusal !== undefined || !this.escrowSeparator) {
      const reason = refusal ?? Refusal_Reason.REASON_UNSPECIFIED
      this.say({ $case: 'refusal', value: { jobId: offer.jobId, reason } })
      return
    }
    this.say({ $case: 'accept', value: { jobId: jobId.value } })
    const spanMs = this.poolClock.leftMs(offer.deadlineAt)
    void this.options.jobs.run(jobId.value, offer, this.escrowSeparator, spanMs)
  }

  private refusal(offer: Offer): Refusal_Reason | undefined {
    const { models, slots, runs, jobs, signed } = this.options
    if (this.draining) return Refusal_Reason.REASON_DRAINING
    if (!models.has(offer.model)) return Refusal_Reason.REASON_MODEL_NOT_SERVED
    if (runs.size >= slots || jobs.has(offer.jobId)) return Refusal_Reason.REASON_BUSY
    // What is signed must be written down first: an answer would be made for nobody.
    if (!signed.isWritable) return Refusal_Reason.REASON_BUSY
    if (signed.has(offer.jobId)) return Refusal_Reason.REASON_ALREADY_SIGNED
    return this.isTooLate(offer) ? Refusal_Reason.REASON_TOO_LATE : undefined
  }

  /** A job that is not finished in time is paid to nobody, and its caller has waited for nothing. */
  private isTooLate(offer: Offer): boolean {
    const promptTokens = countPromptTokens(toEngineJob(offer).messages)
    const pace = this.options.paces.get(offer.model)
    const neededMs = pace?.expectMs(promptTokens, offer.maxOutputTokens, performance.now()) ?? 0
    return this.poolClock.leftMs(offer.deadlineAt) <= neededMs
  }

  private say = (message: ToPool): void => this.options.jobs.outgoing.send(message)

  private close(): void {
    clearTimeout(this.timer)
    if (this.welcomed) this.options.jobs.cutOff()
  }
}
