import { Type } from '@sinclair/typebox'
import {
  address,
  count,
  jobId,
  modelId,
  nullable,
  oneOf,
  publicHash,
  tier,
  timestamp,
  txHash,
  usdg,
} from './forms.ts'
import { usageSchema } from './usage.ts'

export const JOB_STATUSES = [
  'pending',
  'processing',
  'settling',
  'settled',
  'failed',
  'refunded',
  'disputed',
] as const

export const jobStatus = oneOf(JOB_STATUSES, 'State of the job.')

const onChainSchema = Type.Object(
  {
    escrow_tx: nullable(
      txHash('Transaction that locked the escrow: the debit, the lock, the tier, the job ID.'),
    ),
    settlement_tx: nullable(
      txHash(
        'Transaction that settled it: release, the shares of worker and treasury, the proof hash.',
      ),
    ),
    escrow_address: address('The escrow contract.'),
    block_number: nullable(count('Block of the settlement, or of the refund.')),
    proof_hash: nullable(publicHash("SHA-256 of the answer's text, as the worker signed it.")),
    refund_tx: nullable(
      txHash('Transaction that returned the credits of a failed or refunded job.'),
    ),
    dispute_tx: nullable(txHash('Transaction that opened the dispute.')),
  },
  { title: 'JobOnChain', description: 'Where the job is on the settlement chain.' },
)

export const jobSchema = Type.Object(
  {
    id: jobId('The ID, as in `x-svc-job-id`.'),
    object: oneOf(['job'], 'Always `job`.'),
    status: jobStatus,
    model: modelId('ID of the model.'),
    tier: tier('Pricing tier of the model.'),
    credits_charged: count('Credits charged; 0 until settled.'),
    usdg_value: usdg('The same in USDG: credits × 0.01.'),
    worker_address: nullable(address('On-chain address of the serving worker.')),
    created_at: timestamp('When the request arrived.'),
    completed_at: nullable(timestamp('When the answer was complete.')),
    on_chain: onChainSchema,
    usage: nullable(usageSchema),
  },
  {
    title: 'Job',
    description: 'One request. Every field is always present; what is not known yet is `null`.',
  },
)

export const jobListSchema = Type.Object(
  {
    object: oneOf(['list'], 'Always `list`.'),
    data: Type.Array(jobSchema, { description: 'Newest first.' }),
    has_more: Type.Boolean({ description: 'Whether there is more in the direction of paging.' }),
    next_cursor: nullable(
      jobId(
        'Job ID to pass on as `before` or `after`, as in this request; null when there is no more.',
      ),
    ),
  },
  { title: 'JobList' },
)
