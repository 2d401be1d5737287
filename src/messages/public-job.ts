import { usdgValue } from '../domain/credits.ts'
import { publicHash } from '../domain/hash.ts'
import type { Address } from '../domain/ids.ts'
import { isoTimestamp } from '../domain/time.ts'
import { totalTokens, type Usage } from '../domain/usage.ts'
import type { JobView } from './job-view.ts'

export type PublicJob = ReturnType<typeof publicJob>

/** The public Job (specification, Resources): every field always, null where not known yet. */
export function publicJob(view: JobView, escrowAddress: Address) {
  return {
    id: view.id,
    object: 'job',
    status: view.status,
    model: view.model,
    tier: view.tier,
    credits_charged: Number(view.charged),
    usdg_value: usdgValue(view.charged),
    worker_address: view.worker,
    created_at: isoTimestamp(view.createdAt),
    completed_at: view.completedAt === null ? null : isoTimestamp(view.completedAt),
    on_chain: {
      escrow_tx: view.escrowTx,
      settlement_tx: view.settlementTx,
      escrow_address: escrowAddress,
      block_number: view.block,
      proof_hash: view.proofHash === null ? null : publicHash(view.proofHash),
      refund_tx: view.refundTx,
      dispute_tx: view.disputeTx,
    },
    usage: view.usage === null ? null : publicUsage(view.usage),
  }
}

export const publicUsage = (usage: Usage) => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: totalTokens(usage),
})
