import type {
  Chunk,
  Completion,
  Failure,
  Refusal_Reason,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OfferedJob } from '../attempt/offer.ts'
import { Run } from '../attempt/run.ts'
import type { Placements } from '../placement/placement.ts'
import { NOT_ACCEPTED } from '../proof/flaw.ts'
import type { Session } from '../session/session.ts'
import { CANARY_MS, canaryPrompt } from './canary-job.ts'
import {
  GAVE_UP,
  OVERDUE,
  readAnswer,
  readFailed,
  readFlaw,
  readRefusal,
  type Verdict,
} from './verdict.ts'

interface Deps {
  readonly placements: Placements
  readonly clock: Clock
  /** EIP-712 domain of JobEscrow. */
  readonly separator: Uint8Array
  /** Called once, when the slot has been given back. */
  readonly onVerdict: (canary: Canary, verdict: Verdict) => void
}

/**
 * One canary job at one worker: run and checked as a paid one, and told to nobody. It ends neutral,
 * whatever the verdict, so that it counts in no rate and no rank.
 */
export class Canary {
  private readonly run: Run
  private readonly stopTimer: () => void
  private isOver = false

  /** @param session a slot of it is held for `job` */
  constructor(
    readonly session: Session,
    readonly job: OfferedJob,
    private readonly deps: Deps,
  ) {
    this.run = new Run(session, job, deps)
    this.stopTimer = deps.clock.after(CANARY_MS, () => this.end(OVERDUE, true))
    this.run.offer(canaryPrompt(job.model))
  }

  isAt(session: Session): boolean {
    return session === this.session
  }

  accepted(session: Session): void {
    if (this.isAt(session) && this.run.isOffered) this.run.accept()
  }

  refused(session: Session, reason: Refusal_Reason): void {
    if (this.isAt(session)) this.end(this.run.isRunning ? GAVE_UP : readRefusal(reason))
  }

  chunk(session: Session, chunk: Chunk): void {
    if (!this.isRunningAt(session)) return
    const added = this.run.add(chunk)
    if (!added.ok) this.end(readFlaw(added.error), true)
  }

  completed(session: Session, claim: Completion): void {
    if (!this.isRunningAt(session)) return
    const proof = this.run.prove(claim, this.deps.separator)
    this.end(proof.ok ? readAnswer(this.run.answer.text(), claim, this.job) : readFlaw(proof.error))
  }

  failed(session: Session, failure: Failure): void {
    if (this.isAt(session)) this.end(readFailed(failure, this.job))
  }

  /** The worker is gone: it has shown nothing. */
  lost(): void {
    this.end({ type: 'nothing' })
  }

  private isRunningAt(session: Session): boolean {
    if (!this.isAt(session)) return false
    if (this.run.isOffered) this.end(readFlaw(NOT_ACCEPTED), true)
    return this.run.isRunning
  }

  /** @param cancel the worker must be told to stop */
  private end(verdict: Verdict, cancel = false): void {
    if (this.isOver) return
    this.isOver = true
    this.stopTimer()
    this.run.end({ cancel })
    this.deps.onVerdict(this, verdict)
  }
}
