import { addMs } from '../../src/domain/time.ts'
import type { JobReply } from '../../src/messages/job-reply.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, isUnanswered } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ledger, OpenReservation } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/telemetry/log.ts'

interface Options {
  readonly bus: Bus
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
}

/** An edge that lives says StartJob within a moment of its reservation. */
const AGE_MS = 15_000
const SWEEP_MAX = 1_000
const PARALLEL = 32
const TIMEOUT_MS = 2_000

/**
 * One sweep through the reservations that are still open: perhaps their edge died before the job
 * began. Age alone decides nothing: the job itself is woken, and gives back what it will never lock.
 * One whose lock may still be on its way keeps it. A sweep that is asked for during another does
 * nothing.
 */
export function makeSweeper(options: Options): () => Promise<void> {
  const { ledger, clock, log } = options
  let sweeping = false
  /** Those that stay must not hide what comes after them: each sweep goes on behind the one before. */
  let skip = 0
  return async () => {
    if (sweeping) return
    sweeping = true
    try {
      const before = addMs(clock.now(), -AGE_MS)
      const open = await ledger.openReservations(before, SWEEP_MAX, skip)
      // What moves up meanwhile, and is passed over, has its turn in the next round.
      skip = open.length < SWEEP_MAX ? 0 : skip + SWEEP_MAX
      const next = open.values()
      await Promise.all(Array.from({ length: PARALLEL }, () => wakeEach(options, next)))
    } catch (error) {
      log.warn({ err: error }, 'account: sweep not finished, the next one goes on')
    } finally {
      sweeping = false
    }
  }
}

async function wakeEach(options: Options, open: Iterator<OpenReservation>): Promise<void> {
  for (let next = open.next(); !next.done; next = open.next()) await wake(options, next.value)
}

async function wake(
  { bus, ledger, clock, log }: Options,
  { jobId, wallet }: OpenReservation,
): Promise<void> {
  const command = { type: 'AbandonJob', jobId, wallet, at: clock.now() } as const
  try {
    const reply = await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), command, TIMEOUT_MS)
    // Where Redis has lost its last writes, jobs are here again that ended since. Nobody else tells of them.
    if (reply.type === 'accepted' && isOver(reply.view)) await ledger.release(wallet, jobId)
  } catch (error) {
    // The next sweep asks again.
    if (isUnanswered(error)) return
    log.warn({ err: error, jobId }, 'account: job not woken, the next sweep tries again')
  }
}

/**
 * The chain has told of its end, so of its lock as well: nothing of it is only reserved. One may be disputed
 * before that, and its lock would be taken out of credits that others have reserved meanwhile.
 */
const isOver = ({ block }: JobView): boolean => block !== null
