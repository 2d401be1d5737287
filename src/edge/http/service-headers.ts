import type { Address, JobId, TxHash } from '../../domain/ids.ts'

/** Names of our own response headers (specification, POST /chat/completions). */
export const HEADERS = {
  jobId: 'x-svc-job-id',
  escrowTx: 'x-svc-tx-hash',
  settlementTx: 'x-svc-settlement-tx',
  worker: 'x-svc-worker',
  creditsRemaining: 'x-svc-credits-remaining',
  traceId: 'x-svc-trace-id',
} as const

export interface JobFacts {
  readonly jobId: JobId
  readonly escrowTx?: TxHash | null | undefined
  readonly settlementTx?: TxHash | null | undefined
  readonly worker?: Address | null | undefined
}

/** The headers of an answer that speaks of one job: those whose value is known. */
export function jobHeaders(facts: JobFacts): Record<string, string> {
  const headers: Record<string, string> = { [HEADERS.jobId]: facts.jobId }
  if (facts.escrowTx) headers[HEADERS.escrowTx] = facts.escrowTx
  if (facts.settlementTx) headers[HEADERS.settlementTx] = facts.settlementTx
  if (facts.worker) headers[HEADERS.worker] = facts.worker
  return headers
}
