import type { Credits } from '../domain/credits.ts'
import { publicHash } from '../domain/hash.ts'
import type { Address } from '../domain/ids.ts'
import { unreachable } from '../domain/result.ts'
import type { UnixMs } from '../domain/time.ts'
import { balanceData, type JobFact, type JobNames, jobFactId } from './fact.ts'
import type { JobView } from './job-view.ts'
import { publicJob } from './public-job.ts'

/** Something that a job's state says has happened, once in the life of the job. */
export type JobHappening =
  | { readonly type: Exclude<JobFact['type'], 'job.failed'> }
  | { readonly type: 'job.failed' /** A word that stays. */; readonly reason: string }

interface Witnessed {
  readonly happening: JobHappening
  /** The job as it was then. */
  readonly view: JobView
  readonly escrowAddress: Address
  readonly at: UnixMs
  /** What the wallet can spend; heeded for `job.completed` alone. */
  readonly remaining: Credits
}

/** The fact as the world outside is told it. */
export function jobFact({ happening, view, escrowAddress, at, remaining }: Witnessed): JobFact {
  const { type } = happening
  const job = publicJob(view, escrowAddress)
  const names = namesOf(view)
  const told = { id: jobFactId(type, view.id), wallet: view.wallet, at }
  switch (type) {
    case 'job.completed': {
      const { model, tier, credits_charged, usdg_value, worker_address } = job
      const { credits_remaining } = balanceData(remaining)
      const { job_id, ...rest } = names
      const price = { model, tier, credits_charged, usdg_value, worker_address }
      return { ...told, type, data: { job_id, ...price, ...rest, credits_remaining } }
    }
    case 'job.submitted':
    case 'job.processing':
      return { ...told, type, data: { ...job, ...names } }
    case 'job.failed': {
      const { reason } = happening
      return { ...told, type, data: { ...job, ...names, reason, refund_tx: view.refundTx } }
    }
    case 'job.timeout':
      return { ...told, type, data: { ...job, ...names, refund_tx: view.refundTx } }
    case 'job.disputed': {
      const { disputeTx: dispute_tx, disputedHash, proofHash } = view
      const hashes = { your_hash: hashOf(disputedHash), worker_hash: hashOf(proofHash) }
      return { ...told, type, data: { ...job, ...names, dispute_tx, ...hashes } }
    }
    default:
      return unreachable(type)
  }
}

const hashOf = (hash: JobView['proofHash']) => (hash === null ? null : publicHash(hash))

const namesOf = (view: JobView): JobNames => ({
  job_id: view.id,
  settlement_tx: view.settlementTx,
  block_number: view.block,
  prompt_tokens: view.usage?.promptTokens ?? null,
  completion_tokens: view.usage?.completionTokens ?? null,
})
