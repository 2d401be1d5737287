import type { Balances } from '../../api/balances.ts'
import type { JobHistory } from '../../api/jobs/job-history.ts'
import { type Credits, NO_CREDITS, toCredits } from '../../domain/credits.ts'
import type { Address, TxHash } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { addMs, type DurationMs, isoTimestamp, type UnixMs } from '../../domain/time.ts'
import type { JobStatus, JobView } from '../../messages/job-view.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WalletReader } from '../../ports/web-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { CreditsHeld } from '../api.ts'
import { toldByChain } from './told-by-chain.ts'

/** The credits of a wallet that are neither spendable nor spent, by why. */
export interface HeldCredits {
  readonly locked: CreditsHeld
  readonly settling: CreditsHeld
  readonly refunding: CreditsHeld
  readonly disputed: CreditsHeld
}

interface Options {
  readonly history: JobHistory
  readonly balances: Pick<Balances, 'held'>
  readonly reader: Pick<WalletReader, 'disputedAt'>
  readonly jobWindowMs: DurationMs
  readonly clock: Clock
  readonly log: Log
}

/** Of each status the newest so many are looked through, and this many are shown one by one. */
const PAGE_MOST = 100
const PAGES_MOST = 10
const SHOWN_MOST = 50
const ARBITRATION_MS = LIMITS.arbitrationWindowHours * 60 * 60 * 1_000

/** Until when an answer is contested only the chain knows: without it that is left out. @throws {RefusalError} service_unavailable */
export async function readHeld(options: Options, wallet: Address): Promise<HeldCredits> {
  const of = (status: JobStatus) => jobsOf(options.history, wallet, status)
  const newest = (status: JobStatus) => newestOf(options.history, wallet, status)
  const read = await Promise.all([
    of('pending'),
    of('processing'),
    of('settling'),
    of('disputed'),
    newest('failed'),
    newest('refunded'),
  ])
  const [pending, processing, settling, disputed, failed, refunded] = eachOnce(read)
  const { reader, jobWindowMs } = options
  const refunding = await onTheirWayBack(options, wallet, [...failed, ...refunded])
  const running = [...pending, ...processing]
  const contested = disputed.slice(0, SHOWN_MOST)
  const disputedAt = await Promise.all(
    contested.map(({ id }) => toldByChain(options, reader.disputedAt(id))),
  )
  return {
    locked: held(running, (job) => ({
      credits: job.lock,
      tx: job.escrowTx,
      endsAt: addMs(job.createdAt, jobWindowMs),
    })),
    settling: held(settling, (job) => ({ credits: job.lock, tx: job.settlementTx, endsAt: null })),
    refunding: held(refunding, (job) => ({
      credits: job.lock,
      tx: job.refundTx,
      endsAt: null,
    })),
    disputed: held(disputed, (job, i) => {
      const openedAt = disputedAt[i] ?? null
      const endsAt = openedAt === null ? null : addMs(openedAt, ARBITRATION_MS)
      // Contested before the settlement is in: the whole lock is still held.
      const credits = job.settlementTx === null ? job.lock : job.charged
      return { credits, tx: job.disputeTx, endsAt }
    }),
  }
}

/** A job may go on while the lists are read, and be in two of them: the later one counts. */
function eachOnce<Lists extends readonly (readonly JobView[])[]>(inOrder: Lists): Lists {
  const latest = new Map(inOrder.flatMap((jobs, list) => jobs.map(({ id }) => [id, list])))
  return inOrder.map((jobs, list) => jobs.filter(({ id }) => latest.get(id) === list)) as never
}

/**
 * Those that were locked, and the return of the lock is in no block yet; and those whose lock was in no block when
 * they ended, as where the chain stands still: as long as the ledger keeps their credits, the balance lacks them.
 */
async function onTheirWayBack(
  { balances }: Options,
  wallet: Address,
  ended: readonly JobView[],
): Promise<readonly JobView[]> {
  const open = ended.filter(({ block }) => block === null)
  const unlocked = open.filter(({ escrowTx }) => escrowTx === null).map(({ id }) => id)
  const held = new Set(await balances.held(wallet, unlocked))
  return open.filter(({ id, escrowTx }) => escrowTx !== null || held.has(id))
}

interface Held {
  readonly credits: Credits
  readonly tx: TxHash | null
  readonly endsAt: UnixMs | null
}

function held(jobs: readonly JobView[], of: (job: JobView, place: number) => Held): CreditsHeld {
  const all = jobs.map((job, i) => ({ id: job.id, ...of(job, i) }))
  const sum = all.reduce((total, { credits }) => toCredits(total + credits), NO_CREDITS)
  return {
    credits: Number(sum),
    jobs: all.slice(0, SHOWN_MOST).map(({ id, credits, tx, endsAt }) => ({
      job_id: id,
      credits: Number(credits),
      tx,
      ends_at: endsAt === null ? null : isoTimestamp(endsAt),
    })),
  }
}

/** All of them, up to a thousand: more than a wallet runs at once. */
async function jobsOf(
  history: JobHistory,
  wallet: Address,
  status: JobStatus,
): Promise<readonly JobView[]> {
  const found: JobView[] = []
  for (let page = 0; page < PAGES_MOST; page++) {
    const query = { wallet, status, limit: PAGE_MOST, before: found.at(-1)?.id }
    const { jobs, hasMore } = await history.list(query)
    found.push(...jobs)
    if (!hasMore) break
  }
  return found
}

/** Those that ended: only the newest can still be on their way. */
const newestOf = async (history: JobHistory, wallet: Address, status: JobStatus) =>
  (await history.list({ wallet, status, limit: PAGE_MOST })).jobs
