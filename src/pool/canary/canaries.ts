import type { Address } from '../../domain/ids.ts'
import { addMs, type UnixMs } from '../../domain/time.ts'
import { ADMISSION_MS } from '../../messages/admission.ts'
import { type Clock, steady } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Placements } from '../placement/placement.ts'
import type { Session } from '../session/session.ts'
import { Admissions, type Applicant } from './admissions.ts'
import { Canary } from './canary.ts'
import { canaryJob } from './canary-job.ts'
import { Retries, type Retry } from './retries.ts'
import { SPEECHLESS, type Verdict } from './verdict.ts'

interface Options {
  /** Bucket ADMITTED. */
  readonly admitted: Registry
  readonly placements: Placements
  readonly clock: Clock
  /** That workers hear: canary jobs go by it. */
  readonly time: Clock
  readonly log: Log
  /** EIP-712 domain of JobEscrow. */
  readonly separator: Uint8Array
  /** Which models it may be offered has changed. */
  readonly onChange: (session: Session) => void
  /** What it should be told has changed. */
  readonly onVerdict: (address: Address) => void
}

/** A model that the worker is offered no jobs of yet. */
export interface Awaited {
  readonly model: string
  readonly retry: Retry | undefined
}

/** A connected worker. */
interface Entrant {
  readonly session: Session
  /** Models that it would get jobs of, in its own order. */
  wanted: readonly string[]
  /** Those that it has shown to serve, and when that was last known. */
  readonly admitted: Map<string, UnixMs>
  /** One at a time: a server that has one model in memory loads each in turn. */
  running: Canary | undefined
  /** Models that think before they speak. */
  readonly thinking: Set<string>
  isRevoked: boolean
}

/** Keeps workers from paid jobs of a model until a canary job has shown that they serve it. */
export class Canaries {
  private readonly admissions: Admissions
  private readonly retries = new Retries()
  /** Of retries: that clock is not set. */
  private readonly steady: Clock
  private readonly entrants = new Map<Address, Entrant>()
  private readonly running = new Map<string, Canary>()
  /** Those with something to show yet. */
  private readonly waiting = new Set<Entrant>()
  private readonly stopRenewing: () => void

  constructor(private readonly options: Options) {
    this.admissions = new Admissions(options)
    this.steady = steady(options.clock)
    this.stopRenewing = options.clock.every(ADMISSION_MS / 48, () => this.renew())
  }

  /** Of a worker that is about to join. Never rejects. */
  shownBefore = (applicant: Applicant): Promise<ReadonlyMap<string, UnixMs>> =>
    this.admissions.of(applicant)

  join(session: Session): void {
    this.waiting.delete(this.entrants.get(session.address)!)
    this.entrants.set(session.address, {
      session,
      wanted: [],
      admitted: new Map(session.profile.shown),
      running: undefined,
      thinking: new Set(),
      isRevoked: false,
    })
  }

  /** The stream is gone, or broken. */
  lost(session: Session): void {
    for (const canary of [...this.running.values()]) if (canary.isAt(session)) canary.lost()
  }

  leave(session: Session): void {
    this.lost(session)
    const entrant = this.entrants.get(session.address)
    if (entrant?.session !== session) return
    this.waiting.delete(entrant)
    this.entrants.delete(session.address)
  }

  mayServe(session: Session, model: string): boolean {
    return this.entrants.get(session.address)?.admitted.has(model) ?? false
  }

  /** These are what it is to get jobs of: those that it has not shown yet are tried. */
  want(session: Session, models: readonly string[]): void {
    const entrant = this.entrants.get(session.address)
    if (!entrant) return
    entrant.wanted = models
    this.goOn(entrant)
  }

  get isBusy(): boolean {
    return this.running.size > 0
  }

  get(jobId: string): Canary | undefined {
    return this.running.get(jobId)
  }

  /** It broke the rules, and has to show everything again once it has rested. */
  revoke(address: Address): void {
    const entrant = this.entrants.get(address)
    if (!entrant || entrant.isRevoked) return
    this.admissions.revoke(address)
    entrant.admitted.clear()
    entrant.isRevoked = true
    this.waiting.add(entrant)
  }

  /** Begins what is due. */
  tick(): void {
    for (const entrant of [...this.waiting]) {
      if (entrant.isRevoked) {
        entrant.isRevoked = false
        this.options.onChange(entrant.session)
      } else this.goOn(entrant)
    }
  }

  /** The models that it waits to get jobs of. */
  awaitedBy(address: Address): readonly Awaited[] {
    const entrant = this.entrants.get(address)
    if (!entrant) return []
    return missing(entrant).map((model) => ({
      model,
      retry: this.retries.of(entrant.session.profile, model),
    }))
  }

  async stop(): Promise<void> {
    this.stopRenewing()
    for (const canary of [...this.running.values()]) canary.lost()
    await this.admissions.settled()
  }

  private goOn(entrant: Entrant): void {
    const { session } = entrant
    const { placements, time } = this.options
    const all = missing(entrant)
    if (all.length === 0) {
      this.waiting.delete(entrant)
      return
    }
    this.waiting.add(entrant)
    if (entrant.running || session.isOver || session.isSuspended) return
    const model = all.find((each) => this.retries.isDue(session.profile, each, this.steady.now()))
    if (model === undefined) return
    const job = canaryJob(model, entrant.thinking.has(model), time)
    if (!placements.holdCanary(session, job.jobId)) return
    const onVerdict = (canary: Canary, verdict: Verdict) => this.ended(entrant, canary, verdict)
    entrant.running = new Canary(session, job, { ...this.options, clock: time, onVerdict })
    this.running.set(job.jobId, entrant.running)
  }

  private ended(entrant: Entrant, canary: Canary, verdict: Verdict): void {
    const { session } = entrant
    const { model } = canary.job
    this.running.delete(canary.job.jobId)
    entrant.running = undefined
    this.note(entrant, model, verdict)
    this.options.onVerdict(session.address)
    if (session.isOver) return
    if (verdict.type === 'passed') this.options.onChange(session)
    this.goOn(entrant)
  }

  private note(entrant: Entrant, model: string, verdict: Verdict): void {
    const { profile } = entrant.session
    const { clock, log } = this.options
    const now = clock.now()
    const about = { worker: profile.address, model }
    switch (verdict.type) {
      case 'passed':
        entrant.admitted.set(model, now)
        this.retries.passed(profile, model)
        this.admissions.add(profile, new Map([[model, now]]))
        log.info(about, 'canary job passed')
        return
      case 'thought':
        if (entrant.thinking.has(model)) this.note(entrant, model, SPEECHLESS)
        else entrant.thinking.add(model)
        return
      case 'nothing':
        this.retries.soon(profile, model, this.steady.now())
        return
      case 'failed': {
        const { failures, nextAt } = this.retries.failed(
          profile,
          model,
          verdict.why,
          this.steady.now(),
        )
        log.warn({ ...about, failures, nextAt, why: verdict.why }, 'canary job failed')
      }
    }
  }

  /** A worker that serves for days is not to show it all again when it comes back. */
  private renew(): void {
    const now = this.options.clock.now()
    for (const { session, admitted } of this.entrants.values()) {
      const ageing = [...admitted].filter(([, at]) => addMs(at, ADMISSION_MS / 2) < now)
      if (ageing.length === 0) continue
      for (const [model] of ageing) admitted.set(model, now)
      this.admissions.add(session.profile, new Map(ageing.map(([model]) => [model, now])))
    }
  }
}

const missing = ({ wanted, admitted }: Entrant): readonly string[] =>
  wanted.filter((model) => !admitted.has(model))
