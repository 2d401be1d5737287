import { status } from '@grpc/grpc-js'
import type { Chunk, Completion } from '../../proto/gen/svc/worker/v1/worker.ts'
import { unreachable } from '../domain/result.ts'
import type { Flaw } from '../messages/strikes.ts'
import type { Attempts } from './attempt/attempts.ts'
import type { Canaries } from './canary/canaries.ts'
import type { Placements } from './placement/placement.ts'
import type { Session } from './session/session.ts'
import type { FromWorker } from './session/worker-call.ts'
import type { Contradictions } from './strikes/contradictions.ts'
import { strayCompletion, strayText } from './strikes/strays.ts'
import type { Strikes } from './strikes/strikes.ts'

interface Deps {
  readonly attempts: Attempts
  /** Undefined: there are none. */
  readonly canaries: Canaries | undefined
  readonly placements: Placements
  readonly strikes: Strikes
  readonly contradictions: Contradictions
  /** EIP-712 domain of JobEscrow. */
  readonly separator: Uint8Array
}

/** One that goes on after so many has no business here. */
const STRIKES_MOST = 16

/** Hands what a worker says to the attempt that it speaks of, and notes what speaks of none. */
export class Inbox {
  constructor(private readonly deps: Deps) {}

  receive(session: Session, message: FromWorker): void {
    const { placements } = this.deps
    switch (message.$case) {
      case 'chunks':
        for (const chunk of message.value.chunks) this.chunk(session, chunk)
        return
      case 'accept':
        if (session.releasing.has(message.value.jobId)) return
        this.job(message.value.jobId)?.accepted(session)
        return
      case 'refusal':
        if (released(session, message.value.jobId)) return
        this.job(message.value.jobId)?.refused(session, message.value.reason)
        return
      case 'completion':
        this.completion(session, message.value)
        return
      case 'failure':
        if (released(session, message.value.jobId)) return
        this.job(message.value.jobId)?.failed(session, message.value)
        return
      case 'drain':
        placements.drainWorker(session)
        return
      case 'heartbeat':
      case 'hello':
        return
      default:
        unreachable(message)
    }
  }

  /** What is under way under this id. */
  private job(jobId: string) {
    return this.deps.attempts.get(jobId) ?? this.deps.canaries?.get(jobId)
  }

  private chunk(session: Session, chunk: Chunk): void {
    if (session.releasing.has(chunk.jobId)) return
    const job = this.job(chunk.jobId)
    if (job?.isAt(session)) job.chunk(session, chunk)
    else this.strike(session, chunk.jobId, strayText(session, chunk))
  }

  private completion(session: Session, claim: Completion): void {
    const { strikes, separator } = this.deps
    if (released(session, claim.jobId)) return
    const job = this.job(claim.jobId)
    if (job?.isAt(session)) {
      job.completed(session, claim)
      return
    }
    const stray = strayCompletion(session, claim, separator)
    if (stray?.proof) strikes.equivocated(session.profile, stray.proof.jobId, stray.proof.both)
    // Of a job that it had elsewhere, or in an earlier session.
    if (stray?.foreign) this.deps.contradictions.ask(session, stray.foreign)
    this.strike(session, claim.jobId, stray?.flaw)
  }

  private strike(session: Session, jobId: string, flaw: Flaw | undefined): void {
    if (!flaw || session.isOver) return
    this.deps.strikes.note(session.profile, jobId, flaw)
    this.deps.placements.blame(session, flaw.text)
    if (++session.strikes < STRIKES_MOST) return
    const details = `too many breaches of the protocol, the last: ${flaw.text}`
    session.end({ code: status.FAILED_PRECONDITION, details })
  }
}

/** Whether the job had been cancelled there; its slot is free now. */
function released(session: Session, jobId: string): boolean {
  const release = session.releasing.get(jobId)
  release?.()
  return release !== undefined
}
