import type { Balances } from '../../api/balances.ts'
import type { Jobs } from '../../api/jobs/jobs.ts'
import { NO_CREDITS } from '../../domain/credits.ts'
import type { Address, JobId } from '../../domain/ids.ts'
import type { CallersLeft } from '../../messages/edge.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outputs } from '../../ports/outputs.ts'
import type { Log } from '../../telemetry/log.ts'
import { FollowedJob } from './follow-job.ts'
import { SharedJob } from './shared-job.ts'
import type { WaitedJob } from './waited-job.ts'
import type { Waiting } from './waiting.ts'

/** The jobs that requests of this edge wait for, or may come back to. */
export interface SharedJobs {
  find(jobId: JobId): SharedJob | undefined
  /** Where a retried request finds the one that it repeats without asking anybody. */
  findByKey(wallet: Address, joinKey: string): SharedJob | undefined
  /** In place of one of the same job whose end was never heard. */
  open(job: WaitedJob, origin: 'begun' | 'joined'): SharedJob
  /** From now on nobody is waited for: this process ends. */
  drain(): void
  /** Resolves once nobody waits for any, nor may come back: each is over, or its cancellation under way. */
  empty(): Promise<void>
  stop(): void
}

interface Options {
  readonly waiting: Waiting
  readonly jobs: Jobs
  readonly outputs: Outputs
  readonly balances: Pick<Balances, 'glanceAfter'>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

export function makeSharedJobs(options: Options): SharedJobs {
  const { waiting, balances, bus } = options
  const byJob = new Map<JobId, SharedJob>()
  const byKey = new Map<string, SharedJob>()
  let draining = false
  let tellEmpty: () => void = () => {}

  const subscription = bus.subscribe(SUBJECTS.edgesLeft, (message) => {
    const { jobId, replyTo } = message as CallersLeft
    if (replyTo !== waiting.replyTo) byJob.get(jobId)?.offerBack()
  })

  return {
    find: (jobId) => byJob.get(jobId),
    findByKey: (wallet, joinKey) => byKey.get(keyOf(wallet, joinKey)),
    open: (job, origin) => {
      byJob.get(job.jobId)?.close()
      const { jobId, join, caller } = job
      const key = join && keyOf(caller.wallet, join.key)
      const followed = new FollowedJob({ job, origin, ...options })
      const forget = waiting.add(followed)
      const shared = new SharedJob({
        job,
        origin,
        followed,
        draining: () => draining,
        noteEnding: () => void balances.glanceAfter(caller.wallet, jobId, NO_CREDITS),
        noteRunning: () => void balances.glanceAfter(caller.wallet, jobId, job.lock),
        sayLeft: () => {
          const message: CallersLeft = { jobId, replyTo: waiting.replyTo }
          bus.publish(SUBJECTS.edgesLeft, message)
        },
        closed: () => {
          forget()
          if (byJob.get(jobId) === shared) byJob.delete(jobId)
          if (key !== undefined && byKey.get(key) === shared) byKey.delete(key)
          if (byJob.size === 0) tellEmpty()
        },
        ...options,
      })
      byJob.set(jobId, shared)
      if (key !== undefined) byKey.set(key, shared)
      return shared
    },
    drain: () => {
      draining = true
      for (const shared of [...byJob.values()]) shared.hurry()
    },
    empty: () =>
      new Promise((resolve) => {
        tellEmpty = resolve
        if (byJob.size === 0) resolve()
      }),
    stop: () => subscription.unsubscribe(),
  }
}

const keyOf = (wallet: Address, joinKey: string): string => `${wallet} ${joinKey}`
