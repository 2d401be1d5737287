import type { Jobs } from '../../api/jobs/jobs.ts'
import type { ChatRequest } from '../../domain/chat.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Traceparent } from '../../domain/traceparent.ts'
import { type JoinClaim, PROMPT_CARRIED_MAX, type StartJob } from '../../messages/job.ts'
import type { JoinHolder } from '../../messages/job-reply.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../telemetry/log.ts'
import type { FollowedJob } from '../waiting/follow-job.ts'
import type { Follower } from '../waiting/follower.ts'
import type { Outcome } from '../waiting/outcome.ts'
import type { Seat } from '../waiting/shared-job.ts'
import type { SharedJobs } from '../waiting/shared-jobs.ts'
import type { Waiting } from '../waiting/waiting.ts'
import type { AdmittedJob } from './admission.ts'
import type { HangUp } from './hang-up.ts'
import type { JobTimes } from './job-times.ts'
import type { JoinKey } from './join-key.ts'
import type { RequestTrace } from './request-trace.ts'
import type { TakenOn } from './take-on.ts'

export interface RunJob {
  /**
   * Sees the job of a request through: makes it first, where it is the request's own.
   * @param answer is given the end, while settlement news of the job are still heard
   */
  run<T>(
    taken: TakenOn,
    caller: WaitingCaller,
    answer: (outcome: Outcome, followed: FollowedJob) => Promise<T>,
  ): Promise<T | 'hung_up' | KeyTaken>
}

/** Another job has the request's key: it was not begun, and what it would have cost is free again. */
export interface KeyTaken {
  readonly holder: JoinHolder
}

/** Who asked, and waits. */
export interface WaitingCaller {
  /** To whom text goes. */
  readonly follower: Follower
  readonly hangUp: HangUp
  /** Undefined: the request is not traced. */
  readonly trace: RequestTrace | undefined
}

interface Options {
  readonly waiting: Waiting
  readonly sharedJobs: SharedJobs
  readonly jobs: Jobs
  readonly ledger: Ledger
  readonly times: JobTimes
  readonly clock: Clock
  readonly log: Log
}

export function makeRunJob(options: Options): RunJob {
  return {
    run: async (taken, caller, answer) => {
      const { follower, hangUp, trace } = caller
      const seat = await seatOf(options, taken, caller)
      if (seat === 'hung_up' || 'holder' in seat) return seat
      const timed = options.times.begin(taken.job.model, follower, trace)
      seat.follow(timed.follower)
      try {
        const outcome = await Promise.race([seat.followed.outcome, hangUp.signal])
        timed.end(outcome)
        return outcome === 'hung_up' ? outcome : await answer(outcome, seat.followed)
      } finally {
        seat.leave(graceMs(taken.key, follower))
      }
    },
  }
}

async function seatOf(
  options: Options,
  taken: TakenOn,
  { hangUp, trace }: WaitingCaller,
): Promise<Seat | 'hung_up' | KeyTaken> {
  if (taken.type === 'joined') return taken.seat
  const { job, claim } = taken
  if (hangUp.happened) {
    await releaseUnstarted(options, job)
    return 'hung_up'
  }
  const shared = options.sharedJobs.open(job, 'begun')
  const seat = shared.enter()
  const started = await start(options, job, claim, trace?.context)
  if (typeof started === 'object') {
    seat.followed.refuse(notTakenOn())
    seat.leave(0)
    await releaseUnstarted(options, job)
    return started
  }
  if (started === 'no') seat.followed.refuse(notTakenOn())
  if (started === 'unknown') seat.followed.doubt(notTakenOn())
  return seat
}

/** Who can come back to this job, and how soon; nobody where there is no key to it. */
const graceMs = (key: JoinKey | undefined, follower: Follower): DurationMs =>
  key && (key.returnsMidAnswer || !follower.committed) ? key.graceMs : 0

/**
 * Whether the job was begun. Where it was not, or is taken back, the sweeper of reservations gives the
 * credits back.
 */
async function start(
  { jobs, waiting, clock, log }: Options,
  job: AdmittedJob,
  claim: JoinClaim | undefined,
  trace: Traceparent | undefined,
): Promise<'yes' | 'no' | 'unknown' | KeyTaken> {
  const command: StartJob = {
    type: 'StartJob',
    jobId: job.jobId,
    wallet: job.caller.wallet,
    key: shown(job, claim),
    model: job.model,
    tier: job.tier,
    lock: job.lock,
    outputTokensMax: job.outputTokensMax,
    stream: job.stream,
    replyTo: waiting.replyTo,
    at: job.at,
    deadlineAt: job.deadlineAt,
  }
  const reply = await jobs.start(command, trace)
  if (typeof reply === 'object' && 'holder' in reply && reply.holder)
    return { holder: reply.holder }
  const told = typeof reply === 'string' ? reply : reply.type
  const { jobId } = job
  if (told === 'accepted') {
    if (clock.now() < job.deadlineAt) return 'yes'
    // The machine slept meanwhile. Its caller may have come back to another edge, and the key to this job is forgotten.
    jobs.cancel(jobId, { torn: true, unseen: true })
    log.warn({ jobId }, 'job cancelled: it began after its window')
    return 'no'
  }
  log.warn({ jobId, reply: told }, 'job not started')
  return told === 'unknown' ? told : 'no'
}

/** What the request came with, and what no journal keeps. */
function shown({ caller: { key }, prompt }: AdmittedJob, join: JoinClaim | undefined) {
  const carried = isShort(prompt) ? { ...key, prompt } : key
  return join ? { ...carried, join } : carried
}

const isShort = ({ messages }: ChatRequest): boolean =>
  messages.reduce((sum, { content }) => sum + content.length, 0) <= PROMPT_CARRIED_MAX

const notTakenOn = (): Refusal => ({
  code: 'service_unavailable',
  message: 'The request could not be taken on at the moment; try again shortly.',
})

/** The caller left before the job was: nobody else has heard of it, so its credits go back now. */
async function releaseUnstarted({ ledger, log }: Options, job: AdmittedJob): Promise<void> {
  try {
    await ledger.release(job.caller.wallet, job.jobId, job.join?.key)
  } catch (error) {
    log.warn({ err: error, jobId: job.jobId }, 'reservation is left to the sweeper')
  }
}
