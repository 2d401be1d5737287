import type { Address } from '../../../src/domain/ids.ts'
import type { DurationMs } from '../../../src/domain/time.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { JobBook } from './books.ts'

/** The specification's table: credits a request, and for 1 000 output tokens above the first 500. */
const PRICES = { lite: [2, 1], standard: [8, 4], pro: [18, 9], max: [40, 20] } as const
const FLAT_TOKENS = 500

function priceOf(tier: JobView['tier'], tokens: number): number {
  const [flat, perThousand] = PRICES[tier]
  return (
    flat + (tokens > FLAT_TOKENS ? Math.ceil(((tokens - FLAT_TOKENS) * perThousand) / 1_000) : 0)
  )
}

/** A worker that finishes after the window is not paid, and nobody is answered by it. */
export function judgeTime(
  { id, createdAt, completedAt }: JobView,
  windowMs: DurationMs,
): readonly string[] {
  if (completedAt === null) return []
  const tookMs = completedAt - createdAt
  return tookMs < windowMs ? [] : [`${id} was answered after ${tookMs} ms of ${windowMs}`]
}

/** How a job ended, against how its money moved. */
export function judgeJob(
  view: JobView,
  book: JobBook | undefined,
  workers: ReadonlyMap<number, Address>,
): readonly string[] {
  const flaws: string[] = []
  const demand = (holds: boolean, flaw: string) => {
    if (!holds) flaws.push(`${view.id} is ${view.status}: ${flaw}`)
  }
  const onChain = book?.status ?? 'nowhere'
  demand(ENDS[view.status]?.includes(endOf(view, onChain)) ?? false, `on chain it is ${onChain}`)
  if (!book) {
    demand(view.charged === 0n, `charged ${view.charged}, and never locked`)
    return flaws
  }
  demand(book.wallet === view.wallet, `it was paid by ${book.wallet}, not ${view.wallet}`)
  demand(book.lock === view.lock, `${book.lock} were locked, not ${view.lock}`)
  const paid = book.status !== 'refunded' && book.status !== 'locked'
  // Taken back by anybody before its lane had a word, as after hours without a host, it may not know its lock.
  const isUnheard = book.takenBack && view.escrowTx === null
  demand(
    view.escrowTx === book.lockTx || isUnheard,
    `locked by ${book.lockTx}, shown ${view.escrowTx}`,
  )
  if (paid) judgePaid(view, book, workers, demand)
  else {
    demand(view.charged === 0n, `charged ${view.charged}, and nothing was paid`)
    demand(view.refundTx === book.endTx, `refunded by ${book.endTx}, shown ${view.refundTx}`)
  }
  return flaws
}

function judgePaid(
  view: JobView,
  book: JobBook,
  workers: ReadonlyMap<number, Address>,
  demand: (holds: boolean, flaw: string) => void,
): void {
  const price = BigInt(priceOf(view.tier, book.outputTokens))
  const due = price < book.lock ? price : book.lock
  demand(book.charged === due, `${book.charged} were charged for ${book.outputTokens} tokens`)
  const shown = book.status === 'upheld' ? 0n : book.charged
  demand(view.charged === shown, `${view.charged} are shown as charged, ${book.charged} were`)
  demand(view.usage?.completionTokens === book.outputTokens, 'another usage than on chain')
  demand(view.proofHash === book.outputHash, 'another proof than on chain')
  demand(view.settlementTx === book.endTx, `settled by ${book.endTx}, shown ${view.settlementTx}`)
  judgeDispute(view, book, demand)
  demand(workers.get(book.workerId) === view.worker, 'another worker was paid')
}

function judgeDispute(
  { refundTx, disputeTx, disputedHash }: JobView,
  book: JobBook,
  demand: (holds: boolean, flaw: string) => void,
): void {
  const verdict = book.status === 'upheld' ? book.verdictTx : undefined
  demand((refundTx ?? undefined) === verdict, `given back by ${verdict}, shown ${refundTx}`)
  const opened = book.disputeTx
  demand((disputeTx ?? undefined) === opened, `disputed by ${opened}, shown ${disputeTx}`)
  const claimed = opened && book.claimedHash
  demand((disputedHash ?? undefined) === claimed, `claimed ${claimed}, shown ${disputedHash}`)
}

/** What the chain says of jobs that end so. */
const ENDS: Partial<Record<JobView['status'], readonly string[]>> = {
  settled: ['settled', 'rejected'],
  failed: ['refunded', 'nowhere'],
  refunded: ['refunded', 'nowhere', 'upheld'],
  disputed: ['disputed'],
}

/** An upheld dispute is a refund; no other refunded job was ever settled. */
const endOf = (view: JobView, onChain: string): string =>
  onChain === 'upheld' && view.disputeTx === null ? 'upheld without a dispute' : onChain
