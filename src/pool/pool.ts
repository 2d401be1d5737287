import { status } from '@grpc/grpc-js'
import { unreachable } from '../domain/result.ts'
import type { DurationMs } from '../domain/time.ts'
import type { Traceparent } from '../domain/traceparent.ts'
import { type AskStanding, POOL_SUMMARY_MS, type PoolRequest } from '../messages/pool.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import type { Bus, Subscription } from '../ports/bus.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import { type Clock, pause, steady } from '../ports/clock.ts'
import type { Outputs } from '../ports/outputs.ts'
import type { Registry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Traces } from '../telemetry/traces.ts'
import { Attempts } from './attempt/attempts.ts'
import { EdgeOutbox } from './attempt/edge-outbox.ts'
import { Canaries } from './canary/canaries.ts'
import { Inbox } from './inbox.ts'
import { JobLine } from './job-line.ts'
import { ModelTerms } from './model-terms.ts'
import { censusOf } from './placement/census.ts'
import { Demand } from './placement/demand.ts'
import { Placements } from './placement/placement.ts'
import { sendAway } from './placement/send-away.ts'
import { SummaryPublisher } from './placement/summary-publisher.ts'
import { makePoolMetrics, type PoolMetrics } from './pool-metrics.ts'
import { PoolTime } from './pool-time.ts'
import { Members } from './session/members.ts'
import type { Session } from './session/session.ts'
import type { FromWorker } from './session/worker-call.ts'
import { askedStanding } from './standing/asked-standing.ts'
import { StandingPublisher } from './standing/standing-publisher.ts'
import { Contradictions } from './strikes/contradictions.ts'
import { Strikes } from './strikes/strikes.ts'

export interface PoolOptions {
  /** Without dots: it is part of a subject. */
  readonly poolId: string
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly outputs: Outputs
  /** Bucket STRIKES: what workers did against the rules. */
  readonly strikes: Registry
  /** Bucket ADMITTED; undefined: workers get paid jobs without a canary job. */
  readonly admitted: Registry | undefined
  readonly metrics: Metrics
  readonly traces?: Traces | undefined
  readonly clock: Clock
  readonly log: Log
  /** EIP-712 domain of JobEscrow. */
  readonly escrowSeparator: Uint8Array
  readonly workersMax: number
  /** When it stops: so long its workers go on taking jobs while they look for another pool. */
  readonly leaveMs: DurationMs
  /** Then: how long running jobs may go on. */
  readonly drainMs: DurationMs
}

const LAST_WORDS_MS: DurationMs = 2_000

/** Brings jobs from the bus and workers from gRPC together. */
export class Pool {
  readonly poolId: string
  readonly members: Members
  private readonly placements: Placements
  private readonly canaries: Canaries | undefined
  private readonly strikes: Strikes
  private readonly contradictions: Contradictions
  private readonly attempts: Attempts
  private readonly counts: PoolMetrics
  private readonly inbox: Inbox
  private readonly jobs: JobLine
  private readonly outbox: EdgeOutbox
  private readonly terms: ModelTerms
  private readonly publisher: SummaryPublisher
  private readonly demand = new Demand()
  private readonly standings: StandingPublisher
  private readonly requests: Subscription
  private readonly questions: Subscription
  private readonly stopTicking: () => void
  private leaving = false
  /** Rests, waits and demand are this pool's own: none gets longer by a clock that is set. */
  private readonly clock: Clock
  /** Workers hear it, and jobs here go by it. */
  readonly time: PoolTime

  constructor(private readonly options: PoolOptions) {
    const { bus, clock, poolId } = options
    this.poolId = poolId
    this.clock = steady(clock)
    this.time = new PoolTime(clock)
    const time = { clock: this.time }
    this.placements = new Placements(this.clock, {
      held: (jobId, session) => this.attempts.get(jobId)?.held(session),
      stranded: (jobId) => this.attempts.get(jobId)?.stranded(),
      running: (session, jobIds) => this.attempts.running(session, jobIds),
      lost: (session, jobIds) => this.attempts.lost(session, jobIds),
      membersChanged: () => this.publisher.soon(),
      firstText: (model, ms) => this.counts.firstText(model, ms),
      broke: (address) => this.canaries?.revoke(address),
      standingChanged: (address) => this.standings.soon(address),
    })
    this.counts = makePoolMetrics({ ...options, placements: this.placements })
    this.jobs = new JobLine({ ...options, ...time })
    this.outbox = new EdgeOutbox(bus)
    this.canaries = this.makeCanaries()
    const { placements, canaries } = this
    this.terms = new ModelTerms({ ...options, placements, canaries })
    this.strikes = new Strikes(options)
    this.contradictions = new Contradictions({
      jobs: this.jobs,
      strikes: this.strikes,
      placements: this.placements,
      ...time,
    })
    this.attempts = new Attempts({
      ...{ ...options, ...time, wall: clock },
      contradictions: this.contradictions,
      placements: this.placements,
      strikes: this.strikes,
      terms: this.terms,
      jobs: this.jobs,
      outbox: this.outbox,
      counts: this.counts,
      separator: options.escrowSeparator,
    })
    const { attempts, contradictions, strikes } = this
    this.members = new Members({
      ...{ ...options, placements, attempts, canaries, terms: this.terms },
      isDraining: () => this.draining,
    })
    this.inbox = new Inbox({
      ...{ attempts, contradictions, canaries, placements, strikes },
      separator: options.escrowSeparator,
    })
    this.publisher = new SummaryPublisher(bus, clock, () => ({
      ...this.placements.summary(poolId),
      census: censusOf(this.placements.all(), this.demand.lastMinuteOfAll(this.clock.now())),
    }))
    this.standings = new StandingPublisher(placements, canaries, this.demand, this.clock, this.time)
    this.requests = bus.subscribe(SUBJECTS.pool(poolId), (message, _subject, respond, trace) => {
      respond(this.answer(message as PoolRequest, trace))
    })
    this.questions = bus.subscribe(SUBJECTS.poolStanding(poolId), (message, _subject, respond) => {
      const { placements, demand, canaries, terms } = this
      const { worker } = message as AskStanding
      const at = this.clock.now()
      const aheadMs = clock.now() - at
      respond(askedStanding(worker, at, { placements, demand, canaries, terms, aheadMs }))
    })
    this.stopTicking = clock.every(POOL_SUMMARY_MS, () => {
      this.placements.wake()
      this.attempts.sweep(this.time.now())
      const isBusy = this.attempts.size > 0 || this.jobs.isBusy || this.canaries?.isBusy
      this.time.follow(!isBusy, this.placements.all())
      this.terms.tick(clock.now())
      this.canaries?.tick()
    })
  }

  private makeCanaries(): Canaries | undefined {
    const { options, placements } = this
    const { admitted, escrowSeparator: separator } = options
    if (!admitted) return undefined
    return new Canaries({
      ...{ ...options, admitted, placements, separator, time: this.time },
      onChange: (session) => this.terms.apply(session),
      onVerdict: (address) => this.standings.soon(address),
    })
  }

  get draining(): boolean {
    return this.leaving || this.placements.draining
  }

  receive(session: Session, message: FromWorker): void {
    this.inbox.receive(session, message)
  }

  /** Takes no more offers, lets running jobs finish, then tells the rest to look elsewhere. */
  async stop(): Promise<void> {
    const { clock, log, leaveMs, drainMs } = this.options
    this.leaving = true
    if (leaveMs > 0) await sendAway(this.placements, clock, leaveMs)
    this.attempts.giveUp('not_running')
    this.placements.drain()
    this.publisher.now()
    for (const session of this.placements.all()) {
      // It would find the door closed.
      if (session.isSuspended) session.end({ code: status.UNAVAILABLE, details: 'shuts down' })
      if (leaveMs === 0) {
        session.send({ $case: 'drain', value: { reason: 'the pool shuts down' } })
      }
    }
    const until = clock.monotonic() + drainMs
    while (this.attempts.size > 0 && clock.monotonic() < until) {
      await pause(clock, 50)
    }
    if (this.attempts.size > 0) log.warn({ jobs: this.attempts.size }, 'stopped with jobs running')
    this.attempts.giveUp('all')
    await this.jobs.settled(LAST_WORDS_MS)
    this.outbox.flush()
    this.requests.unsubscribe()
    this.questions.unsubscribe()
    this.publisher.stop()
    this.standings.stop()
    this.stopTicking()
    this.terms.stop()
    this.contradictions.stop()
    await this.canaries?.stop()
    await this.strikes.stop()
    for (const session of this.placements.all()) {
      session.end({ code: status.UNAVAILABLE, details: 'the pool shuts down' })
    }
  }

  private answer(request: PoolRequest, trace?: Traceparent): { readonly type: string } {
    switch (request.type) {
      case 'OfferJob':
        this.demand.note(request.model, this.clock.now())
        return this.attempts.take(trace ? { ...request, trace } : request)
      case 'StopJob':
        return this.attempts.stop(request)
      default:
        return unreachable(request)
    }
  }
}
