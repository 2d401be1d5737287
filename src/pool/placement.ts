import { status } from '@grpc/grpc-js'
import type { Address, JobId } from '../domain/ids.ts'
import type { PoolSummary } from '../messages/pool.ts'
import type { Clock } from '../ports/clock.ts'
import { decide, type RegistryCommand } from './registry/decide.ts'
import {
  emptyRegistry,
  evolve,
  type Outcome,
  type Placement,
  type RegistryEvent,
} from './registry/state.ts'
import { summarize } from './registry/summary.ts'
import type { Session } from './session.ts'

const LET_GO_MS = 5_000
/** Drawn at once: each draw from the system costs as much as a signature. */
const CHANCE_BYTES = 3_000

export interface PlacementListener {
  /** A slot of this session is the job's. */
  held(jobId: JobId, session: Session): void
  stranded(jobId: JobId): void
  /** The session is gone and these jobs held slots there. */
  lost(session: Session, jobIds: readonly JobId[]): void
  /** Which models or workers are here has changed. */
  membersChanged(): void
}

const MEMBERSHIP = new Set<RegistryEvent['type']>([
  'WorkerJoined',
  'WorkerLeft',
  'WorkerDrained',
  'ModelDropped',
  'PoolDrained',
])

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
  get draining(): boolean {
    return this.registry.draining
  }
  summary = (poolId: string): PoolSummary => summarize(this.registry, poolId)
  all = (): readonly Session[] => [...this.sessions.values()]

  /** The newest session of a worker is the one that lives. */
  join(session: Session): void {
    const before = this.sessions.get(session.address)
    const lost = this.jobsOf(session.address)
    this.sessions.set(session.address, session)
    this.run({ type: 'Join', profile: session.profile, at: this.clock.now() })
    if (!before) return
    before.end({ code: status.ABORTED, details: 'the same worker connected anew' })
    this.listener.lost(before, lost)
  }

  leave(session: Session): void {
    if (this.sessions.get(session.address) !== session) return
    const lost = this.jobsOf(session.address)
    this.sessions.delete(session.address)
    this.run({ type: 'Leave', address: session.address, at: this.clock.now() })
    this.listener.lost(session, lost)
  }

  drainWorker(session: Session): void {
    this.run({ type: 'DrainWorker', address: session.address, at: this.clock.now() })
  }

  dropModel(session: Session, model: string): void {
    this.run({ type: 'DropModel', address: session.address, model, at: this.clock.now() })
  }

  drain(): void {
    this.run({ type: 'DrainPool', at: this.clock.now() })
  }

  wake(): void {
    this.run({ type: 'Wake', at: this.clock.now() })
  }

  /** @returns false: nobody here can take it */
  place(placement: Placement): boolean {
    return this.run({ type: 'Place', placement, at: this.clock.now() })
  }

  withdraw(jobId: JobId, model: string): void {
    this.run({ type: 'Withdraw', jobId, model })
  }

  free(session: Session, jobId: JobId, outcome: Outcome): void {
    if (this.sessions.get(session.address) !== session) return
    this.run({ type: 'Free', address: session.address, jobId, outcome, at: this.clock.now() })
  }

  seeFirstToken(session: Session, firstTokenMs: number): void {
    this.run({ type: 'SeeFirstToken', address: session.address, firstTokenMs })
  }

  /** Cancels a job whose result nobody wants; its slot is free once the worker says so. */
  letGo(session: Session, jobId: JobId, outcome: Outcome): void {
    session.cancel(jobId, false)
    const done = () => {
      session.releasing.delete(jobId)
      this.free(session, jobId, outcome)
    }
    const stopTimer = this.clock.after(LET_GO_MS, done)
    session.releasing.set(jobId, () => {
      stopTimer()
      done()
    })
  }

  private jobsOf(address: Address): JobId[] {
    return [...(this.registry.workers.get(address)?.jobs ?? [])]
  }

  private run(command: RegistryCommand): boolean {
    const events = decide(this.registry, command, (below) => this.pick(below))
    for (const event of events) evolve(this.registry, event)
    for (const event of events) this.tell(event)
    return events.length > 0
  }

  private tell(event: RegistryEvent): void {
    if (MEMBERSHIP.has(event.type)) this.listener.membersChanged()
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
