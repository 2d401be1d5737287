import { status } from '@grpc/grpc-js'
import type { Address } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import type { Attempts } from '../attempt/attempts.ts'
import type { Applicant } from '../canary/admissions.ts'
import type { Canaries } from '../canary/canaries.ts'
import type { ModelTerms } from '../model-terms.ts'
import type { Placements } from '../placement/placement.ts'
import type { Session } from './session.ts'
import { sayWelcome } from './welcome.ts'
import type { Ending, WorkerCall } from './worker-call.ts'

interface MembersDeps {
  readonly poolId: string
  readonly workersMax: number
  readonly placements: Placements
  readonly attempts: Attempts
  readonly canaries: Canaries | undefined
  readonly terms: ModelTerms
  readonly clock: Clock
  readonly log: Log
  isDraining(): boolean
}

/** The workers of a pool: what happens to the jobs of one that comes, breaks off, is back or goes. */
export class Members {
  private readonly seldom: Seldom

  constructor(private readonly deps: MembersDeps) {
    this.seldom = new Seldom(deps.clock, deps.log)
  }

  /** Whether this worker may come. One that is here, though its stream may be gone, has its place. */
  hasRoomFor(worker: Address): boolean {
    const { placements, workersMax } = this.deps
    return placements.workers < workersMax || placements.sessionOf(worker) !== undefined
  }

  /** Models that a worker about to join has shown to serve. Never rejects. */
  async shownBefore(applicant: Applicant): Promise<ReadonlyMap<string, UnixMs>> {
    return this.deps.canaries?.shownBefore(applicant) ?? new Map()
  }

  /** One that was not let in. Anybody may dial: a flood of them is a line for each reason, now and then. */
  turnedAway({ code, details }: Ending): void {
    this.seldom.info({ code: status[code], details }, 'worker turned away', status[code])
  }

  join(session: Session): void {
    const { canaries, placements, terms, log } = this.deps
    const { address, workerId, models, slots, protocol, software } = session.profile
    canaries?.join(session)
    const open = [...models].filter(([id]) => terms.mayServe(session, id))
    placements.join(session, new Map(open))
    terms.apply(session)
    const about = { worker: address, workerId, slots, protocol, software }
    log.info({ ...about, models: [...models.keys()] }, 'worker joined')
  }

  leave(session: Session): void {
    const { canaries, placements, log } = this.deps
    canaries?.leave(session)
    placements.leave(session)
    log.info({ worker: session.address }, 'worker left')
  }

  /** The session that `token` goes on with; undefined: it is over, or never was. */
  sessionOf(worker: Address, token: Uint8Array): Session | undefined {
    const session = this.deps.placements.sessionOf(worker)
    return session?.profile.resumes && session.tokens.match(token) ? session : undefined
  }

  /** The stream of this worker broke. @returns whether its jobs wait for it to be back */
  streamBroke(session: Session): boolean {
    const { canaries, placements, attempts, log } = this.deps
    canaries?.lost(session)
    const jobIds = placements.jobsOf(session.address)
    const waits =
      session.profile.resumes &&
      !this.deps.isDraining() &&
      placements.mayComeBack(session) &&
      attempts.anyAt(session, jobIds)
    if (!waits) return false
    log.info({ worker: session.address, jobs: jobIds.length }, 'stream broke')
    placements.suspend(session)
    attempts.suspended(session, jobIds)
    return true
  }

  /** The worker is back over `call`, perhaps before the pool has seen its old stream break. */
  resume(session: Session, call: WorkerCall): void {
    const { canaries, placements, attempts, terms, log } = this.deps
    session.speakOver(call)
    const jobIds = placements.jobsOf(session.address)
    const resumed = attempts.comeBack(session, jobIds)
    sayWelcome(session, this.deps.poolId, resumed)
    attempts.tellAgain(session, jobIds)
    for (const [jobId, release] of [...session.releasing]) {
      session.cancel(jobId, false)
      release()
    }
    // It drops what is not among those that go on. Before it is told its models: then the next canary job may begin.
    canaries?.lost(session)
    terms.tellAgain(session)
    placements.resume(session)
    log.info({ worker: session.address, jobs: resumed.length }, 'worker is back')
  }
}
