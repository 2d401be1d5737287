import { type Hex32, type JobId, toHex32 } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { Call } from '../chain/calls.ts'
import type { ToldChat } from './witness.ts'

export interface Receipts {
  /** The job in the end; undefined: there is none. */
  view(jobId: JobId): JobView | undefined
  /** What a transaction asked for; absent: there is no chain to look at. */
  callOf?(tx: Hex32): Call | undefined
}

/** What an answer says of money, beside its text: each transaction that it names is of its job, and of that kind. */
export function judgeReceipts(
  { name, jobId, headers, answer }: ToldChat,
  { view: viewOf, callOf }: Receipts,
): string[] {
  if (!jobId) return []
  const { receipt, error } = answer
  const refused = error?.code === 'job_timeout' ? error.details : undefined
  const told: readonly Named[] = [
    { what: 'x-svc-tx-hash', tx: headers['x-svc-tx-hash'], is: 'locks' },
    { what: 'x-svc-settlement-tx', tx: headers['x-svc-settlement-tx'], is: 'settles' },
    { what: 'escrow_tx', tx: receipt?.escrow_tx, is: 'locks' },
    { what: 'settlement_tx', tx: receipt?.settlement_tx, is: 'settles' },
    { what: 'refund_tx', tx: refused?.refund_tx, is: 'refunds' },
  ]
  const flaws = told.flatMap(({ what, tx, is }) => {
    if (!callOf || tx === undefined || tx === null) return []
    const call = callOf(toHex32(String(tx)))
    return isOfJob(call, is, jobId)
      ? []
      : [`${what} ${tx} is ${call?.type ?? 'no transaction'}, and not of the job`]
  })
  return [...flaws, ...judgeRefund(refused, viewOf(jobId))].map(
    (flaw) => `${name}: ${jobId}: ${flaw}`,
  )
}

function judgeRefund(
  told: Readonly<Record<string, unknown>> | undefined,
  view: JobView | undefined,
): string[] {
  if (!told || !view) return []
  const flaws: string[] = []
  if (told.job_id !== view.id) flaws.push(`told 504 of ${told.job_id}`)
  if (told.credits_refunded !== Number(view.lock)) {
    flaws.push(`told that ${told.credits_refunded} come back, of ${view.lock}`)
  }
  return flaws
}

interface Named {
  readonly what: string
  readonly tx: unknown
  readonly is: Kind
}

export type Kind = 'locks' | 'settles' | 'refunds' | 'disputes'

const CALLS: Readonly<Record<Kind, readonly Call['type'][]>> = {
  locks: ['lockBatch'],
  settles: ['settleBatch'],
  refunds: ['refundBatch', 'refundExpired'],
  disputes: ['disputeBatch', 'openDispute'],
}

export const isOfJob = (call: Call | undefined, kind: Kind, jobId: JobId): boolean =>
  call !== undefined && CALLS[kind].includes(call.type) && jobsOf(call).includes(jobId)

function jobsOf(call: Call): readonly JobId[] {
  if ('items' in call) return call.items.map(({ jobId }) => jobId)
  if ('jobIds' in call) return call.jobIds
  return 'jobId' in call ? [call.jobId] : []
}
