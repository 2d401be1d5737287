import type { Address, JobId, TxHash } from '../../domain/ids.ts'
import type { HeaderNames } from '../../domain/service-names.ts'

export interface JobFacts {
  readonly jobId: JobId
  readonly escrowTx?: TxHash | null | undefined
  readonly settlementTx?: TxHash | null | undefined
  readonly worker?: Address | null | undefined
}

/** The headers of an answer that speaks of one job: those whose value is known. */
export function jobHeaders(names: HeaderNames, facts: JobFacts): Record<string, string> {
  const headers: Record<string, string> = { [names.jobId]: facts.jobId }
  if (facts.escrowTx) headers[names.escrowTx] = facts.escrowTx
  if (facts.settlementTx) headers[names.settlementTx] = facts.settlementTx
  if (facts.worker) headers[names.worker] = facts.worker
  return headers
}
