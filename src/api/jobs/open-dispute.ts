import type { DisputeJob, DisputeRefusal } from '../../messages/dispute.ts'
import type { JobReply } from '../../messages/job-reply.ts'
import type { JobView } from '../../messages/job-view.ts'
import { type Clock, inTime, pause } from '../../ports/clock.ts'
import type { JobHistory } from './job-history.ts'
import type { Jobs } from './jobs.ts'

export type DisputeOutcome =
  /** On its way to the chain; `view.disputeTx` is null where that took too long to wait for. */
  | { readonly type: 'opened'; readonly view: JobView }
  /** The hashes agree. */
  | { readonly type: 'agrees'; readonly view: JobView }
  | { readonly type: 'refused'; readonly code: DisputeRefusal; readonly view: JobView | undefined }
  /** The job does not answer: it may have taken the dispute. */
  | { readonly type: 'unknown' }

interface Options {
  readonly jobs: Jobs
  readonly history: JobHistory
  readonly clock: Clock
}

/** The transaction's hash is waited for at most this long: a chain that is down must not hang us. */
const TX_WITHIN_MS = 20_000
const LOOK_MS = 100

/**
 * Opens a dispute and waits until its transaction is broadcast, for 20 s at most. By then the job
 * has journalled it, so that it cannot be lost: GET /v1/jobs/<id> will show the transaction.
 * @throws {RefusalError} service_unavailable, where a refused job cannot be read
 */
export async function openDispute(
  { jobs, history, clock }: Options,
  command: DisputeJob,
): Promise<DisputeOutcome> {
  const reply = await jobs.dispute(command)
  if (reply === undefined) return { type: 'unknown' }
  if (reply.type !== 'accepted') return refused(history, command, reply)
  if (reply.view.proofHash === command.receivedHash) return { type: 'agrees', view: reply.view }
  const view = await untilBroadcast({ jobs, clock }, reply.view)
  if (view.status === 'disputed' || view.disputeTx !== null) return { type: 'opened', view }
  // The chain refused: the settlement that was on its way, or the dispute, for its own window.
  const code = view.status === 'failed' ? 'job_not_completed' : 'dispute_window_expired'
  return { type: 'refused', code, view }
}

async function refused(
  history: JobHistory,
  { jobId, wallet }: DisputeJob,
  reply: Exclude<JobReply, { type: 'accepted' }>,
): Promise<DisputeOutcome> {
  const view = await history.read(wallet, jobId)
  if (!view) return { type: 'refused', code: 'job_not_found', view }
  const why = reply.type === 'refused' ? CODES.find((code) => code === reply.reason) : undefined
  // Unknown to its actor and yet there: so old that the journal has forgotten it.
  const ofOld = view.completedAt === null ? 'job_not_completed' : 'dispute_window_expired'
  return { type: 'refused', code: why ?? ofOld, view }
}

const CODES: readonly DisputeRefusal[] = [
  'job_not_found',
  'job_not_completed',
  'dispute_already_open',
  'dispute_window_expired',
]

async function untilBroadcast(
  { jobs, clock }: Pick<Options, 'jobs' | 'clock'>,
  first: JobView,
): Promise<JobView> {
  const until = clock.monotonic() + TX_WITHIN_MS
  let view = first
  while (view.status === 'disputed' && view.disputeTx === null) {
    await pause(clock, LOOK_MS)
    const leftMs = until - clock.monotonic()
    if (leftMs <= 0) break
    const reply = await inTime(clock, leftMs, jobs.get(view.id))
    if (reply?.type === 'accepted') view = reply.view
  }
  return view
}
