import type { UnixMs } from '../../src/domain/time.ts'
import type { FailWorker, RefuseOffer } from '../../src/messages/job.ts'
import { accept, behind, type Decision, early, nothing } from '../../src/runtime/kind.ts'
import type { JobEvent } from './events.ts'
import { cancelled, failureRefusal, noWorker, tooManyAttempts, unfinished } from './refusals.ts'
import type { RunningJob } from './running.ts'
import { isRunning, type Job } from './state.ts'
import type { JobRefusal } from './terms.ts'
import type { World } from './world.ts'

/** A job is offered at most this often: each try costs the caller time. */
const ATTEMPTS_MAX = 6

/** Offers the job to a pool, or ends it where there is none. */
export function route(
  job: RunningJob,
  at: UnixMs,
  world: World,
  otherwise: JobRefusal = noWorker(job),
  excludePools: readonly string[] = job.excludePools,
): [JobEvent] {
  const { model } = job.terms
  const poolId = world.choosePool(model, excludePools, job.contextAbove)
  if (poolId !== undefined) return [{ type: 'OfferMade', poolId }]
  // Whatever went wrong before: a model that nobody serves any more is a lack of workers.
  const servedElsewhere = world.choosePool(model, []) !== undefined
  return [{ type: 'JobFailed', refusal: servedElsewhere ? otherwise : noWorker(job), at }]
}

/** The first offer of all, once the lock is there. */
export const routeFirst = (job: RunningJob, at: UnixMs, world: World): [JobEvent] =>
  job.firstPoolId === undefined
    ? route(job, at, world)
    : [{ type: 'OfferMade', poolId: job.firstPoolId }]

/** The running job if `command` speaks of the attempt that is under way. */
export function inAttempt(job: Job, { attempt }: { attempt: number }): RunningJob | undefined {
  return isRunning(job) && job.attempt?.number === attempt ? job : undefined
}

/** An attempt that is not under way is over, unless another owner has made it, unknown to this one. */
export function otherAttempt(job: Job, { attempt }: { attempt: number }): Decision<never> {
  if (!isRunning(job) || attempt <= job.attempts) return nothing
  // A host that made the first offer may have died before it wrote so; the next one is told of the lock anew.
  return job.attempts === 0 && job.firstPoolId !== undefined ? early : behind
}

export function decideRefuseOffer(
  job: Job,
  command: RefuseOffer,
  world: World,
): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running?.attempt) return otherAttempt(job, command)
  const { at } = command
  const failed: JobEvent = { type: 'OfferFailed', excludePool: true }
  if (running.cancelled) return accept<JobEvent>({ type: 'JobFailed', refusal: cancelled(), at })
  // A job that workers took and gave up did not run out of workers.
  const otherwise = running.excludeWorkers.length > 0 ? unfinished(running) : noWorker(running)
  const exclude = [...running.excludePools, running.attempt.poolId]
  return accept(failed, ...route(running, at, world, otherwise, exclude))
}

export function decideFailWorker(job: Job, command: FailWorker, world: World): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running?.attempt) return otherAttempt(job, command)
  const { reason, at } = command
  const fail = (refusal: JobRefusal): Decision<JobEvent> =>
    accept({ type: 'JobFailed', refusal, at })
  if (running.cancelled || reason === 'cancelled') return fail(cancelled())
  // Once text of a stream left for the caller, another worker cannot go on in its place.
  const isTorn = command.textSent && running.terms.stream
  if (isTorn || reason === 'prompt_refused') return fail(failureRefusal(running, command))
  if (reason === 'context_length_exceeded') return decideTooLong(running, command, world)
  const overloaded = reason === 'worker_overloaded'
  if (running.attempts >= ATTEMPTS_MAX)
    return fail(overloaded ? unfinished(running) : tooManyAttempts())
  const excludePool = reason === 'pool_gone' || reason === 'no_worker'
  const otherwise = reason === 'no_worker' ? noWorker(running) : failureRefusal(running, command)
  const exclude = excludePool
    ? [...running.excludePools, running.attempt.poolId]
    : running.excludePools
  return accept(
    {
      type: 'OfferFailed',
      excludePool,
      workers: command.workers ?? [],
      ...(overloaded ? { overloaded } : {}),
    },
    ...route(running, at, world, otherwise, exclude),
  )
}

/** A prompt too long for one pool's workers may fit those of another. */
function decideTooLong(job: RunningJob, command: FailWorker, world: World): Decision<JobEvent> {
  const { contextAbove, workers = [], at } = command
  const { model } = job.terms
  const elsewhere =
    contextAbove !== undefined && job.attempts < ATTEMPTS_MAX
      ? world.choosePool(model, job.excludePools, contextAbove)
      : undefined
  if (contextAbove === undefined || elsewhere === undefined) {
    return accept({ type: 'JobFailed', refusal: failureRefusal(job, command), at })
  }
  return accept<JobEvent>(
    { type: 'OfferFailed', excludePool: false, workers, contextAbove },
    { type: 'OfferMade', poolId: elsewhere },
  )
}
