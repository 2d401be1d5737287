import type { JobId } from '../../src/domain/ids.ts'
import type { JobReply } from '../../src/messages/job-reply.ts'
import type { LockIntent, RefundIntent, SettleIntent } from '../../src/messages/lane.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, isUnanswered } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { makePatience } from './patience.ts'

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

const TIMEOUT_MS = 2_000
/** Of one turn: a reorg may undo what thousands of jobs rest on. */
const ASKS_MAX = 64

/**
 * Asks jobs whose locks stand how they ended, and the settle lane for that end. A reorg takes back what
 * a job rests on already, at any depth; such a job never asks again by itself. The chain knows that the
 * lock stands, so it is asked for until it does not: after 5 s, 10 s, and so on, since a chain that is
 * down or a cap that is reached may hold up all settlements. Waits for nobody.
 */
export function makeStanding({ bus, clock, log }: Options): (jobIds: readonly JobId[]) => void {
  const patience = makePatience(clock)

  const ask = async (jobId: JobId, isFirst: boolean) => {
    const question = { type: 'GetJob', jobId } as const
    try {
      const subject = SUBJECTS.jobCommand(jobId)
      const reply = await bus.request<JobReply>(subject, question, TIMEOUT_MS)
      const end = endOf(jobId, reply)
      if (!end) return
      const about = { jobId, end: end.type }
      if (isFirst) log.warn(about, 'keeper: a job has ended and its lock stands, ending it')
      else log.debug(about, 'keeper: the lock still stands')
      bus.publish(SUBJECTS.lane('settle'), end)
      const unheard = unheardLock(jobId, reply)
      if (unheard) bus.publish(SUBJECTS.lane('lock'), unheard)
    } catch (error) {
      if (isUnanswered(error)) return
      log.error({ err: error, jobId }, 'keeper: a job was not asked, trying again')
    }
  }

  return (jobIds) => {
    for (const jobId of jobIds.filter(patience.isReady).slice(0, ASKS_MAX)) {
      void ask(jobId, patience.failed(jobId))
    }
  }
}

/** What the job would have its lock end in; undefined where that is still to be decided. */
function endOf(jobId: JobId, reply: JobReply): SettleIntent | RefundIntent | undefined {
  if (reply.type !== 'accepted') return undefined
  const { proof, workerId, view } = reply
  if (proof && workerId !== undefined) {
    const { signature, ...signed } = proof
    return { type: 'settle', jobId, completion: { jobId, ...signed }, workerId, signature }
  }
  const hasEnded = view.status === 'failed' || view.status === 'refunded'
  return hasEnded ? { type: 'refund', jobId } : undefined
}

/** A job that never heard of its lock is told of it by the lock lane, so that it shows what it was locked by. */
function unheardLock(jobId: JobId, reply: JobReply): LockIntent | undefined {
  if (reply.type !== 'accepted' || reply.view.escrowTx !== null) return undefined
  const { wallet, lock, tier } = reply.view
  return { type: 'lock', jobId, wallet, credits: lock, tier, abandon: true, again: true }
}
