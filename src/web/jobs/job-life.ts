import type { Address, JobId, TxHash } from '../../domain/ids.ts'
import { addMs, type DurationMs, isoTimestamp, type UnixMs } from '../../domain/time.ts'
import type { JobView } from '../../messages/job-view.ts'
import { publicJob } from '../../messages/public-job.ts'
import { type Clock, inTime } from '../../ports/clock.ts'
import type { DisputeEnd, Inclusion, NetworkReader } from '../../ports/network-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { JobLife, JobMoment, JobMomentName } from '../api.ts'

/** Something that happened to a job, as far as the job itself knows. */
interface Moment {
  readonly event: JobMomentName
  /** Null: only the chain knows, if anybody. */
  readonly at: UnixMs | null
  readonly tx: TxHash | null
  /** As the job was told. */
  readonly block: number | null
}

interface Options {
  readonly reader: Pick<NetworkReader, 'inclusion' | 'disputeEnd'>
  readonly escrowAddress: Address
  readonly disputeWindowMs: DurationMs
  readonly clock: Clock
  readonly log: Log
}

/** For one question to the chain. A node that is silent is given up by itself only after ten seconds. */
const PATIENCE_MS: DurationMs = 3_000

/** A job with its timeline. Without an answer from the chain, what only the chain knows stays null. */
export async function readJobLife(options: Options, view: JobView, at: UnixMs): Promise<JobLife> {
  const moments = await withVerdict(options, view, momentsOf(view))
  const timeline = await Promise.all(moments.map((moment) => toPublic(options, moment)))
  const until = disputableUntil(view, options.disputeWindowMs, at)
  return {
    job: publicJob(view, options.escrowAddress),
    timeline,
    disputable_until: until === null ? null : isoTimestamp(until),
  }
}

/** A job that stays settled keeps no transaction of the verdict: the chain's log has it. */
async function withVerdict(
  options: Options,
  { id, disputeTx }: JobView,
  moments: readonly Moment[],
): Promise<readonly Moment[]> {
  const last = moments.at(-1)
  if (last?.event !== 'dispute_rejected' || disputeTx === null) return moments
  const opened = await inclusionOf(options, disputeTx)
  if (!opened) return moments
  const end = await disputeEndOf(options, id, opened.block)
  return end ? [...moments.slice(0, -1), { ...last, tx: end.tx }] : moments
}

/** Oldest first. */
export function momentsOf(view: JobView): readonly Moment[] {
  const { status, createdAt, completedAt, escrowTx, settlementTx, disputeTx, refundTx } = view
  const moments: Moment[] = [{ event: 'created', at: createdAt, tx: null, block: null }]
  const add = (event: JobMomentName, tx: TxHash | null, block: number | null = null) =>
    moments.push({ event, at: null, tx, block })
  if (escrowTx !== null) add('locked', escrowTx)
  if (completedAt === null) {
    if (status === 'failed') add('failed', null)
    if (refundTx !== null) add('refunded', refundTx, view.block)
    return moments
  }
  moments.push({ event: 'answered', at: completedAt, tx: null, block: null })
  if (settlementTx !== null) add('settled', settlementTx, view.block)
  if (view.disputedHash === null) return moments
  add('disputed', disputeTx)
  if (status === 'refunded') add('dispute_upheld', refundTx)
  else if (status === 'settled') add('dispute_rejected', null)
  return moments
}

/** As the job itself decides it: from the answer on, once, whatever the settlement takes. */
function disputableUntil(view: JobView, windowMs: DurationMs, at: UnixMs): UnixMs | null {
  const { status, completedAt, disputedHash } = view
  const isOpen = (status === 'settling' || status === 'settled') && disputedHash === null
  if (!isOpen || completedAt === null) return null
  const until = addMs(completedAt, windowMs)
  return until > at ? until : null
}

async function toPublic(options: Options, moment: Moment): Promise<JobMoment> {
  const { event, tx, block } = moment
  const included = tx === null ? null : await inclusionOf(options, tx)
  const at = included?.at ?? moment.at
  return {
    event,
    at: at === null ? null : isoTimestamp(at),
    tx,
    block_number: included?.block ?? block,
  }
}

const inclusionOf = (options: Options, tx: TxHash): Promise<Inclusion | null> =>
  toldOf(options, options.reader.inclusion(tx), { tx }, 'the block of a transaction')

const disputeEndOf = (options: Options, jobId: JobId, from: number): Promise<DisputeEnd | null> =>
  toldOf(options, options.reader.disputeEnd(jobId, from), { jobId }, 'the verdict of its dispute')

async function toldOf<T>(
  { clock, log }: Options,
  question: Promise<T | null>,
  about: object,
  what: string,
): Promise<T | null> {
  try {
    return (await inTime(clock, PATIENCE_MS, question)) ?? null
  } catch (error) {
    log.debug({ err: error, ...about }, `job: ${what} is not known`)
    return null
  }
}
