import type { ChainBooks } from './chain-books.ts'
import { type Difference, differ, sameAmount } from './difference.ts'
import type { JobBook } from './job-book.ts'
import { isAfter, type Position, placeOf } from './position.ts'
import type { JournalReading } from './read-journal.ts'
import type { LedgerWallet, ViewsReading } from './read-views.ts'
import { isLive, type Told } from './told.ts'

export interface Service extends JournalReading, Omit<ViewsReading, 'differences'> {}

/** Holds all that the service says against the chain. Pure: asks nobody anything. */
export function compare(books: ChainBooks, service: Service): Difference[] {
  const { journal, archive, views, wallets } = service
  // A job that was disputed after it was put away is put away again only when that is over.
  const isHistory = (told: Told) => told.version < (journal.get(told.jobId)?.version ?? 0)
  const putAway = [...archive.values()].filter((told) => !isHistory(told))
  const records = [...journal.values(), ...putAway, ...views.values()]
  return [
    ...records.flatMap((told) => againstChain(told, books.jobs.get(told.jobId))),
    ...[...books.jobs].flatMap(([id, job]) => unknownToService(service, id, job)),
    ...missingViews(service),
    ...wallets.flatMap((wallet) => againstLedger(books, journal, wallet)),
  ]
}

/** One record and the chain tell one story of one job. */
function againstChain(told: Told, job: JobBook | undefined): Difference[] {
  const says = (what: string): Difference[] => [
    differ(
      told.jobId,
      `the ${told.source} says ${what}; on chain it is ${job?.status ?? 'nothing'}`,
    ),
  ]
  if (job && job.wallet !== told.wallet) return says(`it is of ${told.wallet}, not ${job.wallet}`)
  if (job && told.locked !== null && told.locked !== job.locked) {
    return says(`${told.locked} credits are locked, not ${job.locked}`)
  }
  switch (told.status) {
    case 'pending':
    case 'processing':
    case 'abandoned':
      return !job || job.status === 'locked' ? [] : says(told.status)
    case 'settling':
      return job?.status === 'locked' ? [] : says(told.status)
    case 'settled':
      return job?.status === 'settled' || job?.status === 'rejected'
        ? againstSettlement(told, job)
        : says(told.status)
    case 'disputed':
      return job?.status === 'disputed' ? againstSettlement(told, job) : says(told.status)
    case 'upheld':
      return job?.status === 'upheld' ? againstRefund(told, job) : says('its dispute was upheld')
    case 'failed':
    case 'refunded':
      if (!job) return told.refundTx === null ? [] : says(`a refund in ${told.refundTx}`)
      return job.status === 'refunded' ? againstRefund(told, job) : says(told.status)
  }
}

function againstSettlement(told: Told, job: JobBook): Difference[] {
  return [
    ...sameSaid(told, 'charged', told.charged, job.charged),
    ...sameSaid(told, 'settled in', told.settlementTx, job.settlementTx),
    ...sameSaid(told, 'an answer of hash', told.outputHash, job.outputHash),
  ]
}

function againstRefund(told: Told, job: JobBook): Difference[] {
  return [
    ...sameSaid(told, 'charged', told.charged, 0n),
    // Told at broadcast; a transaction that was replaced is told again once it is mined.
    ...sameSaid(told, 'refunded in', told.refundTx, job.refundTx),
  ]
}

function sameSaid<T>({ jobId, source }: Told, what: string, said: T, wanted: T): Difference[] {
  if (said === wanted) return []
  return [differ(jobId, `the ${source} says ${what} ${said}, the chain ${wanted}`)]
}

/** Nothing on chain is nobody's, and nothing is locked that no live job knows. */
function unknownToService({ journal, archive }: Service, id: string, job: JobBook): Difference[] {
  const record = journal.get(id)
  if (job.status === 'locked' && !(record && isLive(record))) {
    const status = record ? `is ${record.status}` : 'is unknown'
    return [
      differ(id, `${job.locked} credits are locked on chain, but to the journal it ${status}`),
    ]
  }
  if (record || archive.has(id)) return []
  return [differ(id, `is ${job.status} on chain, but in neither journal nor archive`)]
}

function missingViews({ journal, views, isComplete }: Service): Difference[] {
  if (!isComplete) return []
  return [...journal.values()].flatMap(({ jobId, status, version }) => {
    if (status === 'abandoned') return []
    const shown = views.get(jobId)?.version
    if (shown === version) return []
    const says = shown === undefined ? 'in no view' : `in a view of record ${shown}`
    return [differ(jobId, `is ${status} by record ${version} of the journal, but ${says}`)]
  })
}

/** A wallet's ledger is exact at the position that it names, however busy the wallet is. */
function againstLedger(
  books: ChainBooks,
  journal: JournalReading['journal'],
  { wallet, available, locked, reserved, at, holds }: LedgerWallet,
): Difference[] {
  const place = ` at block ${at.block}`
  const wanted = books.standingAt(wallet, at)
  const sum = holds.reduce((s, { kind, credits }) => s + (kind === 'locked' ? 0n : credits), 0n)
  return [
    ...sameAmount(wallet, "the ledger's balance", available, wanted.available, place),
    ...sameAmount(wallet, 'what the ledger has locked', locked, wanted.locked, place),
    ...passedOver(books, wallet, at),
    ...(sum === reserved
      ? []
      : [
          differ(
            wallet,
            `the ledger has ${reserved} credits reserved, its jobs make ${sum}`,
            'what the ledger has reserved',
          ),
        ]),
    ...holds.flatMap(({ for: jobId, kind, credits }) => {
      if (kind === 'withdrawal') return []
      const job = books.jobs.get(jobId)
      const says = `the ledger has ${credits} credits ${kind}`
      if (kind === 'locked') {
        const isThere = job && !isAfter(job.lockedAt, at)
        const isOver = job?.endedAt && !isAfter(job.endedAt, at)
        return isThere && !isOver ? [] : [differ(jobId, `${says}, the chain nothing`)]
      }
      const record = journal.get(jobId)
      return record && isLive(record) ? [] : [differ(jobId, `${says} for a job that is not live`)]
    }),
  ]
}

/** What came after the ledger's position reaches it in time: at every look there is then another to wait for. */
function passedOver(books: ChainBooks, wallet: string, at: Position): Difference[] {
  const next = books.wallets.get(wallet)?.steps.find((step) => isAfter(step.at, at))
  if (!next) return []
  const says = `the ledger reaches ${placeOf(at)}, the chain moved its credits in ${placeOf(next.at)}`
  return [differ(wallet, says)]
}
