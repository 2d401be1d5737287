import type { RecordStatus } from '../chain/abi.ts'
import type { Position } from './position.ts'

/** One job by its events. Credits; shares in token units. */
export interface JobBook {
  readonly wallet: string
  readonly tier: number
  readonly locked: bigint
  readonly lockTx: string
  readonly lockedAt: Position
  readonly status: RecordStatus
  /** Set once the lock is gone. */
  readonly endedAt: Position | null
  readonly charged: bigint
  readonly workerId: number
  readonly workerUnits: bigint
  readonly outputHash: string | null
  readonly settlementTx: string | null
  readonly refundTx: string | null
  readonly dispute: DisputeBook | null
}

export interface DisputeBook {
  readonly tx: string
  readonly claimedHash: string
  /** Null: it is not decided. */
  readonly verdict: { readonly tx: string; readonly upheld: boolean } | null
}

type Lock = Pick<JobBook, 'wallet' | 'tier' | 'locked' | 'lockTx' | 'lockedAt'>

export const lockedJob = (lock: Lock): JobBook => ({
  ...lock,
  status: 'locked',
  ...{ charged: 0n, workerId: 0, workerUnits: 0n },
  ...{ endedAt: null, outputHash: null, settlementTx: null, refundTx: null, dispute: null },
})
