import type { JobId } from '../../src/domain/ids.ts'
import type { ConfirmLock } from '../../src/messages/job.ts'
import type { JobReply } from '../../src/messages/job-reply.ts'
import type { RefundIntent, SettleIntent } from '../../src/messages/lane.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, isUnanswered } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { ChainUnavailable } from '../../src/ports/escrow.ts'
import type { KeeperReader } from '../../src/ports/keeper.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { StandingLock } from './due.ts'
import { makePatience } from './patience.ts'

interface Options {
  readonly reader: Pick<KeeperReader, 'lockedBy'>
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
export function makeStanding(options: Options): (locks: readonly StandingLock[]) => void {
  const { reader, bus, clock, log } = options
  const patience = makePatience(clock)

  const ask = async ({ jobId, block }: StandingLock, isFirst: boolean) => {
    const question = { type: 'GetJob', jobId } as const
    const subject = SUBJECTS.jobCommand(jobId)
    try {
      const reply = await bus.request<JobReply>(subject, question, TIMEOUT_MS)
      const end = endOf(jobId, reply)
      if (!end) return
      const about = { jobId, end: end.type }
      if (isFirst) log.warn(about, 'keeper: a job has ended and its lock stands, ending it')
      else log.debug(about, 'keeper: the lock still stands')
      bus.publish(SUBJECTS.lane('settle'), end)
      if (reply.type === 'accepted' && reply.view.escrowTx === null) await tellLock(jobId, block)
    } catch (error) {
      if (isUnanswered(error)) return
      log.error({ err: error, jobId }, 'keeper: a job was not asked, trying again')
    }
  }
  /** A job that never heard of its lock is to show what it was locked by. Its lane may be held up for long. */
  const tellLock = async (jobId: JobId, block: number) => {
    try {
      const tx = await reader.lockedBy(jobId, block)
      if (!tx) return
      const command: ConfirmLock = { type: 'ConfirmLock', jobId, tx, block, at: clock.now() }
      bus.publish(SUBJECTS.jobCommand(jobId), command)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      log.debug({ err: error, jobId }, 'keeper: a lock was not read, trying again')
    }
  }

  return (locks) => {
    for (const lock of locks.filter(({ jobId }) => patience.isReady(jobId)).slice(0, ASKS_MAX)) {
      void ask(lock, patience.failed(lock.jobId))
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
