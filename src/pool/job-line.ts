import type { DurationMs, UnixMs } from '../domain/time.ts'
import type { JobReply } from '../messages/job.ts'
import { partitionOf, SUBJECTS } from '../messages/subjects.ts'
import { type Bus, NoResponders } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { PoolReport } from './report.ts'

const ANSWER_MS = 2_000
const RETRY_MS = { first: 300, growth: 1.5, max: 2_000 } as const

/**
 * Tells jobs what became of an attempt, again and again until the job has journalled it. Jobs
 * take every report twice without harm, so a lost answer costs a repetition and no more.
 */
export class JobLine {
  private readonly untold = new Set<PoolReport>()

  constructor(private readonly deps: { bus: Bus; clock: Clock; log: Log }) {}

  /**
   * @param until when nobody wants the report any more
   * @param wanted false once a later report has overtaken this one
   */
  async tell(report: PoolReport, until: UnixMs, wanted: () => boolean = () => true): Promise<void> {
    const { clock, log } = this.deps
    this.untold.add(report)
    let waitMs: DurationMs = RETRY_MS.first
    while (!(await this.try(report))) {
      if (!wanted()) break
      if (clock.now() >= until) {
        log.error(about(report), 'job did not take a report in time')
        break
      }
      await new Promise<void>((resolve) => clock.after(waitMs, resolve))
      waitMs = Math.min(waitMs * RETRY_MS.growth, RETRY_MS.max)
    }
    this.untold.delete(report)
  }

  /** Resolves once everything is told, or after `spanMs`. */
  async settled(spanMs: DurationMs): Promise<void> {
    const { clock, log } = this.deps
    const until = clock.monotonic() + spanMs
    while (this.untold.size > 0 && clock.monotonic() < until) {
      await new Promise<void>((resolve) => clock.after(20, resolve))
    }
    for (const report of this.untold) log.error(about(report), 'stopped with a report untold')
  }

  private async try(report: PoolReport): Promise<boolean> {
    const { bus, log } = this.deps
    try {
      const subject = SUBJECTS.jobCommand(report.jobId)
      const reply = await bus.request<JobReply>(subject, report, ANSWER_MS)
      if (reply.type !== 'accepted') log.debug({ ...about(report), reply }, 'job declined a report')
      return true
    } catch (error) {
      if (error instanceof NoResponders) {
        bus.publish(SUBJECTS.orphan, { partition: partitionOf(report.jobId) })
      }
      log.debug({ ...about(report), err: error }, 'job does not answer, will repeat')
      return false
    }
  }
}

const about = ({ type, jobId, attempt }: PoolReport) => ({ report: type, jobId, attempt })
