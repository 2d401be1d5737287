import { status } from '@grpc/grpc-js'
import { unreachable } from '../domain/result.ts'
import type { DurationMs } from '../domain/time.ts'
import { POOL_SUMMARY_MS, type PoolRequest } from '../messages/pool.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import type { Bus, Subscription } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { Attempts } from './attempts.ts'
import { EdgeOutbox } from './edge-outbox.ts'
import { JobLine } from './job-line.ts'
import { Placements } from './placement.ts'
import type { FromWorker, Session } from './session.ts'
import { SummaryPublisher } from './summary-publisher.ts'

export interface PoolOptions {
  /** Without dots: it is part of a subject. */
  readonly poolId: string
  readonly bus: Bus
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
  /** EIP-712 domain of JobEscrow. */
  readonly escrowSeparator: Uint8Array
  readonly workersMax: number
}

const DRAIN_MS: DurationMs = 15_000
const LAST_WORDS_MS: DurationMs = 2_000

/** Brings jobs from the bus and workers from gRPC together. */
export class Pool {
  readonly poolId: string
  private readonly placements: Placements
  private readonly attempts: Attempts
  private readonly jobs: JobLine
  private readonly outbox: EdgeOutbox
  private readonly publisher: SummaryPublisher
  private readonly requests: Subscription
  private readonly stopTicking: () => void

  constructor(private readonly options: PoolOptions) {
    const { bus, clock, poolId } = options
    this.poolId = poolId
    this.placements = new Placements(clock, {
      held: (jobId, session) => this.attempts.get(jobId)?.held(session),
      stranded: (jobId) => this.attempts.get(jobId)?.stranded(),
      lost: (session, jobIds) => this.attempts.lost(session, jobIds),
      membersChanged: () => this.publisher.soon(),
    })
    this.jobs = new JobLine(options)
    this.outbox = new EdgeOutbox(bus)
    this.attempts = new Attempts({
      ...options,
      placements: this.placements,
      jobs: this.jobs,
      outbox: this.outbox,
      separator: options.escrowSeparator,
    })
    this.publisher = new SummaryPublisher(bus, clock, () => this.placements.summary(poolId))
    this.requests = bus.subscribe(SUBJECTS.pool(poolId), (message, _subject, respond) => {
      respond(this.answer(message as PoolRequest))
    })
    this.stopTicking = clock.every(POOL_SUMMARY_MS, () => {
      this.placements.wake()
      this.attempts.sweep(clock.now())
    })
  }

  /** Whether one more worker may come. */
  get hasRoom(): boolean {
    return this.placements.workers < this.options.workersMax
  }
  get draining(): boolean {
    return this.placements.draining
  }

  join(session: Session): void {
    this.placements.join(session)
    const { address, workerId, models, slots } = session.profile
    this.options.log.info(
      { worker: address, workerId, slots, models: [...models.keys()] },
      'worker joined',
    )
  }

  leave(session: Session): void {
    this.placements.leave(session)
    this.options.log.info({ worker: session.address }, 'worker left')
  }

  receive(session: Session, message: FromWorker): void {
    session.heard()
    switch (message.$case) {
      case 'chunks':
        for (const chunk of message.value.chunks) {
          if (session.releasing.has(chunk.jobId)) continue
          this.attempts.get(chunk.jobId)?.chunk(session, chunk)
        }
        return
      case 'accept':
        if (session.releasing.has(message.value.jobId)) return
        this.attempts.get(message.value.jobId)?.accepted(session)
        return
      case 'refusal':
        if (released(session, message.value.jobId)) return
        this.attempts.get(message.value.jobId)?.refused(session, message.value.reason)
        return
      case 'completion':
        if (released(session, message.value.jobId)) return
        this.attempts.get(message.value.jobId)?.completed(session, message.value)
        return
      case 'failure':
        if (released(session, message.value.jobId)) return
        this.attempts.get(message.value.jobId)?.failed(session, message.value)
        return
      case 'drain':
        this.placements.drainWorker(session)
        return
      case 'heartbeat':
      case 'hello':
        return
      default:
        unreachable(message)
    }
  }

  /** Takes no more offers, lets running jobs finish, then tells the rest to look elsewhere. */
  async stop(): Promise<void> {
    const { clock, log } = this.options
    this.attempts.giveUp('not_running')
    this.placements.drain()
    this.publisher.now()
    for (const session of this.placements.all()) {
      session.send({ $case: 'drain', value: { reason: 'the pool shuts down' } })
    }
    const until = clock.monotonic() + DRAIN_MS
    while (this.attempts.size > 0 && clock.monotonic() < until) {
      await new Promise<void>((resolve) => clock.after(50, resolve))
    }
    if (this.attempts.size > 0) log.warn({ jobs: this.attempts.size }, 'stopped with jobs running')
    this.attempts.giveUp('all')
    await this.jobs.settled(LAST_WORDS_MS)
    this.outbox.flush()
    this.requests.unsubscribe()
    this.publisher.stop()
    this.stopTicking()
    for (const session of this.placements.all()) {
      session.end({ code: status.UNAVAILABLE, details: 'the pool shuts down' })
    }
  }

  private answer(request: PoolRequest): { readonly type: string } {
    switch (request.type) {
      case 'OfferJob':
        return this.attempts.take(request)
      case 'StopJob':
        this.attempts.get(request.jobId)?.stop(request.settle)
        return { type: 'taken' }
      default:
        return unreachable(request)
    }
  }
}

/** Whether the job had been cancelled there; its slot is free now. */
function released(session: Session, jobId: string): boolean {
  const release = session.releasing.get(jobId)
  release?.()
  return release !== undefined
}
