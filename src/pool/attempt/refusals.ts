import type { Address } from '../../domain/ids.ts'
import type { OfferJob } from '../../messages/pool.ts'
import type { Placements } from '../placement/placement.ts'
import type { Session } from '../session/session.ts'
import { type Fault, readFalseTooLong } from './failure.ts'
import type { Run } from './run.ts'

interface Deps {
  readonly job: OfferJob
  readonly placements: Placements
  /** Whom the job must not get again. */
  readonly failedWorkers: Set<Address>
  /**
   * On to another worker, where there is one, or up to the job.
   * @param next `later`: one that has no slot now is waited for; `now`: none is; `none`: nobody more is asked
   */
  passOn(run: Run, fault: Fault, next: 'later' | 'now' | 'none'): void
}

/** What becomes of one attempt where a worker says that the request is at fault. */
export class Refusals {
  /** Contexts up to this one, in tokens, were too small. */
  contextAbove: number | undefined
  private first: Session | undefined

  constructor(private readonly deps: Deps) {
    this.contextAbove = deps.job.contextAbove
  }

  /** More context may be served elsewhere; where it is not, the prompt is too long. */
  tooLong(run: Run, fault: Fault): void {
    const { job, placements, failedWorkers, passOn } = this.deps
    const context = placements.contextOf(run.session, job.model)
    const fits = run.promptTokensMost < context
    if (!fits) this.contextAbove = Math.max(this.contextAbove ?? 0, context)
    failedWorkers.add(run.session.address)
    passOn(run, fits ? readFalseTooLong(fault, run.promptTokensMost, context) : fault, 'later')
  }

  /**
   * Of one worker this is a word that costs it nothing, and its caller the answer: so another that is free is
   * asked as well. What two say is the caller's.
   */
  invalid(run: Run, fault: Fault): void {
    const isFirst = this.first === undefined
    this.first ??= run.session
    this.deps.passOn(run, fault, isFirst ? 'now' : 'none')
  }

  /** A worker answers: whoever had said that nobody could has failed. */
  overruled(): void {
    const { job, placements } = this.deps
    const why = 'it refused a request that another worker answered'
    if (this.first) placements.judge(this.first, { outcome: 'failed', wallet: job.wallet, why })
  }
}
