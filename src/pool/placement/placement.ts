import { status } from '@grpc/grpc-js'
import type { Address, JobId } from '../../domain/ids.ts'
import type { DurationMs, UnixMs } from '../../domain/time.ts'
import type { PoolSummary } from '../../messages/pool.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobEnd } from '../registry/conduct.ts'
import { decide, type RegistryCommand, someoneMayTake } from '../registry/decide.ts'
import { evolve } from '../registry/evolve.ts'
import { emptyRegistry, type RegistryEvent } from '../registry/state.ts'
import { summarize } from '../registry/summary.ts'
import type { Placement } from '../registry/waiting.ts'
import type { Session } from '../session/session.ts'
import { boards, standingOf } from '../standing/standing.ts'

const LET_GO_MS = 5_000
/** Drawn at once: each draw from the system costs as much as a signature. */
const CHANCE_BYTES = 3_000

export interface PlacementListener {
  /** A slot of this session is the job's. */
  held(jobId: JobId, session: Session): void
  stranded(jobId: JobId): void
  /** Whose jobs this session runs, one entry a job. */
  running(session: Session, jobIds: readonly JobId[]): readonly Address[]
  /** The session is gone and these jobs held slots there. */
  lost(session: Session, jobIds: readonly JobId[]): void
  /** Which models or workers are here has changed. */
  membersChanged(): void
  /** It broke the rules. */
  broke(address: Address): void
  /** A worker sent its first text of a job, so long after the offer. */
  firstText(model: string, ms: DurationMs): void
  /** A worker came, or a job of it ended. */
  standingChanged(address: Address): void
}

const MEMBERSHIP = new Set<RegistryEvent['type']>([
  'WorkerJoined',
  'WorkerLeft',
  'WorkerDrained',
  'WorkerSuspended',
  'WorkerResumed',
  'ModelDropped',
  'ModelTaken',
  'PoolDrained',
])

const STANDING = new Set<RegistryEvent['type']>([
  'SlotFreed',
  'WorkerBlamed',
  'WorkerJudged',
  'ModelDropped',
  'WorkerDrained',
])

type Breach = Extract<RegistryEvent, { type: 'WorkerBlamed' | 'WorkerJudged' | 'SlotFreed' }>

const isBreach = (event: RegistryEvent): event is Breach =>
  event.type === 'WorkerBlamed' || ('end' in event && event.end.outcome === 'broke')

/** Binds the registry to live sessions. */
export class Placements {
  private readonly registry = emptyRegistry()
  private readonly sessions = new Map<Address, Session>()
  private chance: Uint8Array = new Uint8Array(0)
  private chanceAt = 0

  constructor(
    private readonly clock: Clock,
    private readonly listener: PlacementListener,
  ) {}

  get workers(): number {
    return this.sessions.size
  }
  /** Whether any worker would take a job. */
  get hasWorkers(): boolean {
    return [...this.registry.workers.values()].some(({ draining }) => !draining)
  }
  get draining(): boolean {
    return this.registry.draining
  }
  summary = (poolId: string): PoolSummary => summarize(this.registry, poolId)
  all = (): readonly Session[] => [...this.sessions.values()]

  /** How each worker stands at this moment. */
  standings(jobsPerMinute: (model: string) => number, at: UnixMs) {
    const board = boards(this.registry, jobsPerMinute)
    return (address: Address) => standingOf(this.registry, board, address, at)
  }

  /** What is known of one worker at this moment; undefined: it is not here. */
  look(address: Address, jobsPerMinute: (model: string) => number) {
    const worker = this.registry.workers.get(address)
    const session = this.sessions.get(address)
    if (!worker || !session) return undefined
    const board = boards(this.registry, jobsPerMinute)
    return { worker, session, board, draining: this.registry.draining }
  }

  /**
   * The newest session of a worker is the one that lives.
   * @param models those that it gets jobs of from now on, with their context
   */
  join(session: Session, models: ReadonlyMap<string, number>): void {
    const before = this.sessions.get(session.address)
    const lost = this.jobsOf(session.address)
    if (before) this.lose(before, lost)
    this.sessions.set(session.address, session)
    this.run({ type: 'Join', profile: { ...session.profile, models }, at: this.clock.now() })
    if (!before) return
    before.end({ code: status.ABORTED, details: 'the same worker connected anew' })
    this.listener.lost(before, lost)
  }

  leave(session: Session): void {
    if (this.sessions.get(session.address) !== session) return
    const lost = this.jobsOf(session.address)
    this.lose(session, lost)
    this.sessions.delete(session.address)
    this.run({ type: 'Leave', address: session.address })
    this.listener.lost(session, lost)
  }

  sessionOf = (address: Address): Session | undefined => this.sessions.get(address)

  /** Whether it is worth waiting for when its stream breaks. */
  mayComeBack(session: Session): boolean {
    const worker = this.registry.workers.get(session.address)
    return this.sessions.get(session.address) === session && worker?.draining === false
  }

  suspend({ address }: Session): void {
    this.run({ type: 'Suspend', address })
  }

  resume({ address }: Session): void {
    this.run({ type: 'Resume', address, at: this.clock.now() })
  }

  drainWorker(session: Session): void {
    this.run({ type: 'DrainWorker', address: session.address })
  }

  dropModel(session: Session, model: string): void {
    this.run({ type: 'DropModel', address: session.address, model })
  }

  takeModel(session: Session, model: string, contextWindow: number): void {
    if (this.sessions.get(session.address) !== session) return
    const at = this.clock.now()
    this.run({ type: 'TakeModel', address: session.address, model, contextWindow, at })
  }

  drain(): void {
    this.run({ type: 'DrainPool' })
  }

  wake(): void {
    this.run({ type: 'Wake', at: this.clock.now() })
  }

  /** @returns false: nobody here can take it */
  place(placement: Placement): boolean {
    return this.run({ type: 'Place', placement, mayWait: true, at: this.clock.now() })
  }

  /** Like `place`, but of no use where it had to wait. */
  placeNow(placement: Placement): boolean {
    return this.run({ type: 'Place', placement, mayWait: false, at: this.clock.now() })
  }

  /** Whether anybody here may take it, now or later. */
  mayPlace(placement: Placement): boolean {
    return someoneMayTake(this.registry, placement)
  }

  /** A slot of this session for a job that is no caller's. @returns false: none can be had now */
  holdCanary(session: Session, jobId: JobId): boolean {
    if (this.sessions.get(session.address) !== session) return false
    return this.run({
      type: 'HoldCanary',
      address: session.address,
      jobId,
      at: this.clock.now(),
    })
  }

  withdraw(jobId: JobId, model: string): void {
    this.run({ type: 'Withdraw', jobId, model })
  }

  free(session: Session, jobId: JobId, end: Omit<JobEnd, 'at'>): void {
    if (this.sessions.get(session.address) !== session) return
    const at = this.clock.now()
    this.run({ type: 'Free', address: session.address, jobId, end: { at, ...end } })
  }

  /** Median of the worker's last jobs of the model; undefined before the first. */
  firstTokenMs({ address }: Session, model: string): number | undefined {
    return this.registry.workers.get(address)?.conduct.firstTokens.get(model)?.medianMs
  }

  /** Largest context that it is offered jobs of this model with, tokens. */
  contextOf({ address }: Session, model: string): number {
    return this.registry.workers.get(address)?.models.get(model) ?? 0
  }

  seeFirstToken(session: Session, model: string, firstTokenMs: number): void {
    this.listener.firstText(model, firstTokenMs)
    this.run({ type: 'SeeFirstToken', address: session.address, model, firstTokenMs })
  }

  /** Those that hold slots there. */
  jobsOf(address: Address): JobId[] {
    return [...(this.registry.workers.get(address)?.jobs ?? [])]
  }

  /** It leaves in the middle of jobs, if it runs any. */
  private lose(session: Session, jobIds: readonly JobId[]): void {
    const wallets = this.listener.running(session, jobIds)
    const { address } = session
    this.run({ type: 'Lose', address, wallets, at: this.clock.now() })
  }

  /** It broke the rules outside of any job that is under way there. */
  blame(session: Session, why: string): void {
    if (this.sessions.get(session.address) !== session) return
    this.run({ type: 'Blame', address: session.address, why, at: this.clock.now() })
  }

  /**
   * Cancels a job whose result nobody wants; its slot is free once the worker says so. What it has to
   * answer for counts at once: one that does not say so would get more jobs until then.
   */
  letGo(session: Session, jobId: JobId, end: Omit<JobEnd, 'at'>): void {
    session.cancel(jobId, false)
    this.judge(session, end)
    const done = () => {
      session.releasing.delete(jobId)
      this.free(session, jobId, { ...end, outcome: 'neutral' })
    }
    const stopTimer = this.clock.after(LET_GO_MS, done)
    session.releasing.set(jobId, () => {
      stopTimer()
      done()
    })
  }

  /** What it has to answer for of a job that is not ended, or has been. */
  judge(session: Session, end: Omit<JobEnd, 'at'>): void {
    if (this.sessions.get(session.address) !== session || end.outcome === 'neutral') return
    this.run({ type: 'Judge', address: session.address, end: { at: this.clock.now(), ...end } })
  }

  private run(command: RegistryCommand): boolean {
    const events = decide(this.registry, command, (below) => this.pick(below))
    for (const event of events) evolve(this.registry, event)
    for (const event of events) this.tell(event)
    return events.length > 0
  }

  private tell(event: RegistryEvent): void {
    if (MEMBERSHIP.has(event.type)) this.listener.membersChanged()
    if (event.type === 'WorkerJoined') this.listener.standingChanged(event.profile.address)
    if (STANDING.has(event.type) && 'address' in event) this.listener.standingChanged(event.address)
    if (isBreach(event)) this.listener.broke(event.address)
    if (event.type === 'JobStranded') this.listener.stranded(event.jobId)
    if (event.type === 'JobHeld') {
      const session = this.sessions.get(event.address)
      if (session) this.listener.held(event.jobId, session)
    }
  }

  private pick(below: number): number {
    if (this.chanceAt + 3 > this.chance.length) {
      this.chance = this.clock.randomBytes(CHANCE_BYTES)
      this.chanceAt = 0
    }
    let value = 0
    for (let i = 0; i < 3; i++) value = value * 256 + (this.chance[this.chanceAt++] ?? 0)
    return value % below
  }
}
