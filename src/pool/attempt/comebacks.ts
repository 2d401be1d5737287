import type { Session } from '../session/session.ts'
import type { Timers } from '../timers.ts'
import type { Fault } from './failure.ts'
import type { Hedge } from './hedge.ts'
import { ACCEPT_MS, type Offering } from './offering.ts'
import type { Run } from './run.ts'
import type { Runs } from './runs.ts'

interface Deps {
  readonly runs: Runs
  readonly offering: Offering
  readonly hedge: Hedge
  readonly timers: Timers
  /** Whether the worker was asked to end it with what it has. */
  isStopping(): boolean
  /** On to the next worker: this one had not begun. */
  passOn(run: Run, fault: Fault): void
  /** This one had begun, and is lost. */
  give(run: Run, fault: Fault): void
}

const GONE = 'it came back without a job that it had run'

/** What becomes of one attempt when the stream of a worker that is on it breaks. */
export class Comebacks {
  constructor(private readonly deps: Deps) {}

  /**
   * The worker may be back. Where it has said nothing yet, another is asked at once if there is one;
   * and one that has not accepted is waited for no longer than ever.
   */
  suspended(session: Session): void {
    const { runs, timers, hedge, passOn } = this.deps
    const run = runs.of(session)
    if (!run?.isCutOff) return
    timers.after(ACCEPT_MS, () => {
      if (run.awaitsAccept && run.isCutOff) passOn(run, { reason: 'worker_lost', cancel: true })
    })
    hedge.begin()
  }

  /** The worker is back. @returns the chunk that is due; undefined: it has no part in this any more */
  comeBack(session: Session): number | undefined {
    const run = this.deps.runs.of(session)
    return run && !run.isHeld ? run.comeBack() : undefined
  }

  /** It has been told which jobs go on, and may have missed what it was told of this one. */
  tellAgain(session: Session): void {
    const { runs, offering, isStopping } = this.deps
    const run = runs.of(session)
    if (run?.isHeld) offering.offer(run)
    else if (run && isStopping()) run.cancel(true)
  }

  /** The offer of a job that has come back may have been lost; what it ran before is gone. */
  notKnown(run: Run): void {
    const { offering, passOn, give } = this.deps
    if (run.takeBackOffer()) offering.offer(run)
    else if (run.isOffered) passOn(run, { reason: 'worker_lost' })
    else give(run, { reason: 'worker_lost', outcome: 'failed', why: GONE })
  }
}
