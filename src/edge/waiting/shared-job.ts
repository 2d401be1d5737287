import type { Jobs } from '../../api/jobs/jobs.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FollowedJob } from './follow-job.ts'
import type { Follower } from './follower.ts'
import type { WaitedJob } from './waited-job.ts'

/** One request's place at a job. */
export interface Seat {
  readonly followed: FollowedJob
  follow(follower: Follower): void
  /**
   * Once: the request is answered, or its caller has left.
   * @param graceMs how long the job, if it still runs, waits for the caller to come back
   */
  leave(graceMs: DurationMs): void
}

/** An edge where others wait for the same job needs a moment to take it over. */
const TAKE_OVER_MS = 1_000

interface Options {
  readonly job: WaitedJob
  readonly origin: 'begun' | 'joined'
  readonly followed: FollowedJob
  readonly jobs: Jobs
  readonly clock: Clock
  /** True: nobody is waited for any more. */
  readonly draining: () => boolean
  /** Notes that the job is about to end, and its credits on their way back. */
  readonly noteEnding: () => void
  /** Notes that it runs on after all, and holds them. */
  readonly noteRunning: () => void
  /** Tells the other edges that here nobody waits any more. */
  readonly sayLeft: () => void
  readonly closed: () => void
}

/**
 * A job and the requests of this edge that wait for it: mostly one, and a retried one beside it. When
 * the last of them has left, the job is cancelled, after a grace in which they may come back.
 */
export class SharedJob {
  readonly #options: Options
  #callers = 0
  #closed = false
  /** The job answered to another edge, for some time at least: what was generated may have gone there. */
  #wasElsewhere: boolean
  /** Nobody waits for it there any more, and nobody has taken it back. */
  #isOffered = false
  #graceEndsAt = 0
  #cancelGrace: (() => void) | undefined
  #endGrace: () => void = () => {}

  constructor(options: Options) {
    this.#options = options
    this.#wasElsewhere = options.origin === 'joined'
    void this.followed.outcome.then(() => {
      if (this.#callers === 0 && this.followed.jobIsOver) this.close()
    })
  }

  get job(): WaitedJob {
    return this.#options.job
  }

  get followed(): FollowedJob {
    return this.#options.followed
  }

  /** Somebody waits from now on; a grace that runs has served its purpose. */
  enter(): Seat {
    const { followed } = this
    this.#callers++
    if (this.#cancelGrace) this.#options.noteRunning()
    this.#stopGrace()
    if (this.#isOffered) void this.#takeBack()
    let unfollow = () => {}
    return {
      followed,
      follow: (follower) => {
        unfollow = followed.follow(follower)
      },
      leave: (graceMs) => {
        unfollow()
        this.#leave(graceMs)
      },
    }
  }

  /** Another edge, that the job answers to, lost all who waited for it, and gives it up soon. */
  offerBack(): void {
    this.#isOffered = true
    if (this.#callers > 0) void this.#takeBack()
  }

  /** Ends a grace at once. */
  hurry(): void {
    if (this.#cancelGrace) this.#endGrace()
  }

  /** Whoever still waits has its answer already, or will have. Repeated: nothing. */
  close(): void {
    this.#stopGrace()
    this.#closed = true
    this.#options.closed()
  }

  async #takeBack(): Promise<void> {
    const { jobs, job } = this.#options
    this.#isOffered = false
    this.#wasElsewhere = true
    const reply = await jobs.join(job.jobId, job.caller.wallet)
    // Its end may have been told there.
    if (reply?.type === 'accepted') this.followed.learn(reply)
  }

  #leave(graceMs: DurationMs): void {
    this.#callers--
    const endsAt = this.#options.clock.monotonic() + graceMs
    this.#graceEndsAt = Math.max(this.#graceEndsAt, endsAt)
    if (this.#callers > 0 || this.#closed) return
    if (this.followed.jobIsOver) this.close()
    else this.#waitOrCancel()
  }

  #waitOrCancel(): void {
    const { clock, job, jobs, draining, sayLeft, noteEnding } = this.#options
    const elsewhere = this.#wasElsewhere
    noteEnding()
    // What its caller was told must stay true while others may still come back to it.
    if (this.followed.refused) jobs.revoke(job.jobId, job.caller.wallet)
    if (elsewhere) sayLeft()
    const leftMs = draining() ? 0 : this.#graceEndsAt - clock.monotonic()
    const waitMs = elsewhere ? Math.max(TAKE_OVER_MS, leftMs) : leftMs
    // Nobody has seen any of it. Of text that went elsewhere we cannot tell.
    const unseen = !elsewhere && waitMs > 0 && !this.followed.heardText
    this.#endGrace = () => this.#cancel({ free: unseen || this.followed.refused })
    if (waitMs > 0) this.#cancelGrace = clock.after(waitMs, this.#endGrace)
    else this.#endGrace()
  }

  #cancel({ free }: { free: boolean }): void {
    const { jobs, job } = this.#options
    jobs.cancel(job.jobId, free ? { torn: true, unseen: true } : undefined)
    this.close()
  }

  #stopGrace(): void {
    this.#cancelGrace?.()
    this.#cancelGrace = undefined
  }
}
