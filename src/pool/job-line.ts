import type { JobId } from '../domain/ids.ts'
import type { DurationMs, UnixMs } from '../domain/time.ts'
import type { JobReply, WordReply } from '../messages/job-reply.ts'
import { partitionOf } from '../messages/partitions.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import { type Bus, NoResponders } from '../ports/bus.ts'
import { type Clock, pause } from '../ports/clock.ts'
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
  private readonly before = new Set<Promise<void>>()

  constructor(private readonly deps: { bus: Bus; clock: Clock; log: Log }) {}

  /**
   * @param until when nobody wants the report any more
   * @param wanted false once a later report has overtaken this one
   * @returns what the job answered, if it did
   */
  async tell(
    report: PoolReport,
    until: UnixMs,
    wanted: () => boolean = () => true,
  ): Promise<WordReply | undefined> {
    const { clock, log } = this.deps
    this.untold.add(report)
    let waitMs: DurationMs = RETRY_MS.first
    let reply: WordReply | undefined
    for (;;) {
      reply = await this.try(report)
      if (reply || !wanted()) break
      if (clock.now() >= until) {
        log.error(about(report), 'job did not take a report in time')
        break
      }
      await pause(clock, waitMs)
      waitMs = Math.min(waitMs * RETRY_MS.growth, RETRY_MS.max)
    }
    this.untold.delete(report)
    return reply
  }

  /** What must be done before a report is told. It must not fail. */
  async after(work: Promise<void>): Promise<void> {
    this.before.add(work)
    await work
    this.before.delete(work)
  }

  /** The job as it is; undefined where it does not answer. */
  async ask(jobId: JobId): Promise<JobReply | undefined> {
    const { bus, log } = this.deps
    try {
      const question = { type: 'GetJob', jobId } as const
      return await bus.request<JobReply>(SUBJECTS.jobCommand(jobId, 'pool'), question, ANSWER_MS)
    } catch (error) {
      log.debug({ jobId, err: error }, 'job does not answer a question')
      return undefined
    }
  }

  /** Something is still to be told. */
  get isBusy(): boolean {
    return this.untold.size + this.before.size > 0
  }

  /** Resolves once everything is told, or after `spanMs`. */
  async settled(spanMs: DurationMs): Promise<void> {
    const { clock, log } = this.deps
    const until = clock.monotonic() + spanMs
    while (this.isBusy && clock.monotonic() < until) {
      await pause(clock, 20)
    }
    for (const report of this.untold) log.error(about(report), 'stopped with a report untold')
  }

  private async try(report: PoolReport): Promise<WordReply | undefined> {
    const { bus, log } = this.deps
    try {
      const subject = SUBJECTS.jobCommand(report.jobId, 'pool')
      const reply = await bus.request<WordReply>(subject, report, ANSWER_MS)
      if (reply.type !== 'accepted') log.debug({ ...about(report), reply }, 'job declined a report')
      return reply
    } catch (error) {
      if (error instanceof NoResponders) {
        bus.publish(SUBJECTS.orphan, { partition: partitionOf(report.jobId) })
      }
      log.debug({ ...about(report), err: error }, 'job does not answer, will repeat')
      return undefined
    }
  }
}

const about = ({ type, jobId, attempt }: PoolReport) => ({ report: type, jobId, attempt })
