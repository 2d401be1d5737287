import { addMs, type DurationMs, type UnixMs } from '../../src/domain/time.ts'
import type { JobCommand, StartJob } from '../../src/messages/job.ts'
import type { Job } from './state.ts'

/** A request is said again for 20 s at most: one that seems older has its time from a wrong clock. */
const SAID_WITHIN_MS: DurationMs = 30_000

/**
 * The command with times that can be. Whoever says something dates it by a clock of its own, and any of them may
 * be wrong: what is heard by `now` was not said later, no report of a job is older than the job, and no request
 * is older than its caller waits for. A time that cannot be becomes that of the hearing; a window keeps its length.
 */
export function heardBy(now: UnixMs, job: Job | undefined, command: JobCommand): JobCommand {
  switch (command.type) {
    case 'GetJob':
    // The host's own.
    case 'ExpireJob':
      return command
    case 'StartJob':
      return mayBe(command.at, since(now), now) ? command : begunAt(now, command)
    case 'DisputeJob':
      return mayBe(command.at, since(now), now) ? command : { ...command, at: now }
    default:
      return job && job.status !== 'abandoned'
        ? reportedBy(now, job.terms.createdAt, command)
        : command
  }
}

const since = (now: UnixMs): UnixMs => addMs(now, -SAID_WITHIN_MS)
const mayBe = (at: UnixMs, from: UnixMs, to: UnixMs): boolean => at >= from && at <= to

const begunAt = (now: UnixMs, command: StartJob): StartJob => ({
  ...command,
  at: now,
  deadlineAt: addMs(now, command.deadlineAt - command.at),
})

type Report = Exclude<JobCommand, { readonly type: 'GetJob' | 'ExpireJob' | 'StartJob' }>

function reportedBy(now: UnixMs, createdAt: UnixMs, command: Report): Report {
  // A job that came from a host whose clock is ahead was made in our future.
  const latest = now < createdAt ? createdAt : now
  const timed = (at: UnixMs) => (mayBe(at, createdAt, latest) ? at : latest)
  const at = timed(command.at)
  if (command.type === 'CompleteJob' && command.takenAt !== undefined) {
    const takenAt = timed(command.takenAt)
    if (takenAt !== command.takenAt) return { ...command, at, takenAt }
  }
  return at === command.at ? command : { ...command, at }
}
