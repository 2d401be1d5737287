import type { Address, JobId } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Traceparent } from '../../domain/traceparent.ts'
import type { DisputeJob } from '../../messages/dispute.ts'
import type { AbandonJob, CancelJob, GetJob, JoinJob, StartJob } from '../../messages/job.ts'
import type { JobReply, WordReply } from '../../messages/job-reply.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { type JobSender, makeSayToJob } from './say-to-job.ts'

const START_WITHIN_MS = 8_000
const CANCEL_WITHIN_MS = 10_000
const GET_WITHIN_MS = 4_000
const DISPUTE_WITHIN_MS = 8_000

/** What edges and the web app say to jobs. Their owner may be changing hosts: every word is repeated. */
export interface Jobs {
  /**
   * `unheard`: nobody was there to hear it. `unknown`: it may have been heard, and no answer came back,
   * so that nobody can tell whether the job exists.
   * @param trace the request's, where it is traced
   */
  start(command: StartJob, trace?: Traceparent): Promise<WordReply | 'unheard' | 'unknown'>
  /**
   * Returns at once; repeated in the background until the job has it. A job that was joined from
   * another edge since then ignores it.
   */
  cancel(jobId: JobId, why?: CancelReason): void
  /**
   * Who asked for the job was told that it was not begun. Where that is so it never will be, though a host that
   * stood still may have the word yet. Returns at once, as `cancel`.
   */
  revoke(jobId: JobId, wallet: Address): void
  /** Undefined: nobody answers for this job at the moment. */
  get(jobId: JobId): Promise<JobReply | undefined>
  /** A request of this process waits for it from now on. Undefined: as for `get`. */
  join(jobId: JobId, wallet: Address): Promise<JobReply | undefined>
  /** A job that never was will never be. Undefined: as for `get`. */
  abandon(jobId: JobId, wallet: Address): Promise<JobReply | undefined>
  /** Undefined: nobody answered, so it is not known whether the job has taken it. */
  dispute(command: DisputeJob): Promise<JobReply | undefined>
  /** Resolves when no cancellation is under way any more. */
  settled(): Promise<void>
}

type CancelReason = Pick<CancelJob, 'torn' | 'unseen'>

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  /** Where jobs answer to this process. */
  readonly replyTo: string
  /** Who this is; an edge by default. */
  readonly sender?: JobSender
}

export function makeJobs({ bus, clock, log, replyTo, sender = 'edge' }: Options): Jobs {
  const say = makeSayToJob({ bus, clock, log, sender })
  const cancelling = new Set<Promise<void>>()

  const cancel = async (jobId: JobId, why?: CancelReason): Promise<void> => {
    const command: CancelJob = { type: 'CancelJob', jobId, ...why, replyTo, at: clock.now() }
    const reply = await say(command, CANCEL_WITHIN_MS)
    if (reply === undefined) log.warn({ jobId }, 'job: cancellation was not acknowledged')
  }
  const abandon = (jobId: JobId, wallet: Address, withinMs: DurationMs) => {
    const command: AbandonJob = { type: 'AbandonJob', jobId, wallet, at: clock.now() }
    return say(command, withinMs)
  }
  const revoke = async (jobId: JobId, wallet: Address): Promise<void> => {
    const reply = await abandon(jobId, wallet, CANCEL_WITHIN_MS)
    if (reply === undefined)
      log.warn({ jobId }, 'job: not kept from beginning, for nobody answered')
  }
  const inBackground = (work: Promise<void>) => {
    const done = work.finally(() => cancelling.delete(done))
    cancelling.add(done)
  }

  return {
    start: async (command, trace) => {
      let none: 'unheard' | 'unknown' = 'unheard'
      const lost = () => {
        none = 'unknown'
      }
      return (await say(command, START_WITHIN_MS, lost, trace)) ?? none
    },
    cancel: (jobId, why) => inBackground(cancel(jobId, why)),
    revoke: (jobId, wallet) => inBackground(revoke(jobId, wallet)),
    get: (jobId) => {
      const command: GetJob = { type: 'GetJob', jobId }
      return say(command, GET_WITHIN_MS)
    },
    join: (jobId, wallet) => {
      const command: JoinJob = { type: 'JoinJob', jobId, wallet, replyTo, at: clock.now() }
      return say(command, GET_WITHIN_MS)
    },
    abandon: (jobId, wallet) => abandon(jobId, wallet, GET_WITHIN_MS),
    dispute: (command) => say(command, DISPUTE_WITHIN_MS),
    settled: async () => {
      await Promise.all(cancelling)
    },
  }
}
