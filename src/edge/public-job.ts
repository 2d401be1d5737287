import { usdgValue } from '../domain/credits.ts'
import { publicHash } from '../domain/hash.ts'
import type { Address } from '../domain/ids.ts'
import { isoTimestamp } from '../domain/time.ts'
import type { JobView } from '../messages/job.ts'
import { publicUsage } from './answer-plain.ts'

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
      // No job can be disputed yet.
      dispute_tx: null,
    },
    usage: view.usage === null ? null : publicUsage(view.usage),
  }
}
