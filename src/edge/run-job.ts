import type { Refusal } from '../domain/errors.ts'
import type { StartJob } from '../messages/job.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger, Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import type { AdmittedJob } from './admission.ts'
import { FollowedJob, type Follower, type Outcome } from './follow-job.ts'
import type { HangUp } from './hang-up.ts'
import type { Jobs } from './jobs.ts'
import type { Waiting } from './waiting.ts'

export interface RunJob {
  /**
   * Makes a job of an admitted request and sees it through.
   * @param answer is given the end, while settlement news of the job are still heard
   */
  run<T>(
    job: AdmittedJob,
    follower: Follower,
    hangUp: HangUp,
    answer: (outcome: Outcome, followed: FollowedJob) => Promise<T>,
  ): Promise<T | 'hung_up'>
}

interface Options {
  readonly waiting: Waiting
  readonly jobs: Jobs
  readonly ledger: Ledger
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
}

export function makeRunJob(options: Options): RunJob {
  const { waiting, jobs, ledger, log } = options
  return {
    run: async (job, follower, hangUp, answer) => {
      if (hangUp.happened) {
        await releaseUnstarted(ledger, job, log)
        return 'hung_up'
      }
      const followed = new FollowedJob({ ...options, job, follower })
      const forget = waiting.add(followed)
      try {
        const refusal = await start(options, job)
        const outcome: Outcome | 'hung_up' = refusal
          ? { type: 'failed', refusal, escrowTx: null }
          : await Promise.race([followed.outcome, hangUp.signal])
        if (outcome !== 'hung_up') return await answer(outcome, followed)
        jobs.cancel(job.jobId)
        return 'hung_up'
      } finally {
        forget()
      }
    },
  }
}

/** @returns why the job could not be started */
async function start(
  { jobs, waiting, log }: Options,
  job: AdmittedJob,
): Promise<Refusal | undefined> {
  const command: StartJob = {
    type: 'StartJob',
    jobId: job.jobId,
    wallet: job.caller.wallet,
    model: job.model,
    tier: job.tier,
    lock: job.lock,
    outputTokensMax: job.outputTokensMax,
    stream: job.stream,
    replyTo: waiting.replyTo,
    at: job.at,
    deadlineAt: job.deadlineAt,
  }
  const reply = await jobs.start(command)
  if (reply !== 'unknown' && reply.type === 'accepted') return undefined
  log.warn({ jobId: job.jobId, reply: reply === 'unknown' ? reply : reply.type }, 'job not started')
  // It may exist and only its answer be lost: nobody would read what it makes. Where it does not
  // exist, the sweeper of reservations gives the credits back.
  jobs.cancel(job.jobId)
  return {
    code: 'service_unavailable',
    message: 'The request could not be taken on at the moment; try again shortly.',
  }
}

/** The caller left before the job was: nobody else has heard of it, so its credits go back now. */
async function releaseUnstarted(ledger: Ledger, job: AdmittedJob, log: Log): Promise<void> {
  try {
    await ledger.release(job.caller.wallet, job.jobId)
  } catch (error) {
    log.warn({ err: error, jobId: job.jobId }, 'reservation is left to the sweeper')
  }
}
