import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type {
  DisputeIntent,
  LockIntent,
  RefundIntent,
  SettleIntent,
} from '../../../src/messages/lane.ts'

export const WALLET: Address = toAddress('0x00000000000000000000000000000000000000aa')
const HASH = toHex32(`0x${'11'.repeat(32)}`)

/** The n-th job of a test. */
export const job = (n: number): JobId =>
  makeJobId(
    toUnixMs(1_800_000_000_000 + n),
    Uint8Array.from({ length: 16 }, (_, i) => n >> (i * 2)),
  )

export const lock = (jobId: JobId, more: Partial<LockIntent> = {}): LockIntent => ({
  type: 'lock',
  jobId,
  wallet: WALLET,
  credits: toCredits(8),
  tier: 'standard',
  abandon: false,
  ...more,
})

export const settle = (jobId: JobId, more: Partial<SettleIntent> = {}): SettleIntent => ({
  type: 'settle',
  jobId,
  completion: { jobId, outputHash: HASH, outputTokens: 10, completedAt: 1_800_000_000 },
  workerId: 1,
  signature: { r: HASH, vs: HASH },
  notify: 'edge.one',
  ...more,
})

export const refund = (jobId: JobId): RefundIntent => ({ type: 'refund', jobId })

/** What a caller says it received: not what the worker signed. */
export const CLAIMED = toHex32(`0x${'22'.repeat(32)}`)
export const dispute = (jobId: JobId): DisputeIntent => ({
  type: 'dispute',
  jobId,
  claimedHash: CLAIMED,
})
