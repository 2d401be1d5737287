import { addressFromBytes, hex32FromBytes, toBytes } from '../domain/bytes.ts'
import { toCredits } from '../domain/credits.ts'
import type { Address, Hex32, JobId } from '../domain/ids.ts'
import { assert } from '../domain/result.ts'
import { TIERS, tierNumber } from '../domain/tiers.ts'
import { addMs, toUnixMs } from '../domain/time.ts'
import type { JobStatus, JobView } from './job-view.ts'

/**
 * A job as it is kept for years, by the million: places instead of names, bytes instead of hex.
 * Written data depends on every place here, so fields are only ever added, at the end. Nulls at the
 * end are left out.
 */
export type PackedJob = readonly [
  tier: number,
  lock: number,
  charged: number,
  createdAt: number,
  /** Milliseconds after `createdAt`. */
  completedAfter: number | null,
  worker: Bytes,
  block: number | null,
  promptTokens: number | null,
  completionTokens: number | null,
  escrowTx: Bytes,
  settlementTx: Bytes,
  proofHash: Bytes,
  refundTx?: Bytes,
  disputeTx?: Bytes,
  disputedHash?: Bytes,
]
type Bytes = Uint8Array | null

/** What is kept beside a packed job, in a form of the keeper's own. */
export interface PackedJobKey {
  readonly id: JobId
  readonly wallet: Address
  readonly status: JobStatus
  readonly model: string
}

/** A status is kept as its place here. */
const STATUSES = [
  'pending',
  'processing',
  'settling',
  'settled',
  'failed',
  'refunded',
  'disputed',
] as const satisfies readonly JobStatus[]

export const statusNumber = (status: JobStatus): number => STATUSES.indexOf(status)

export function statusOfNumber(number: number): JobStatus {
  const status = STATUSES[number]
  assert(status, `no job status has the number ${number}`)
  return status
}

export function packJob(view: JobView): PackedJob {
  const packed = [
    tierNumber(view.tier),
    Number(view.lock),
    Number(view.charged),
    view.createdAt,
    view.completedAt === null ? null : view.completedAt - view.createdAt,
    bytesOf(view.worker),
    view.block,
    view.usage?.promptTokens ?? null,
    view.usage?.completionTokens ?? null,
    bytesOf(view.escrowTx),
    bytesOf(view.settlementTx),
    bytesOf(view.proofHash),
    bytesOf(view.refundTx),
    bytesOf(view.disputeTx),
    bytesOf(view.disputedHash),
  ] as const
  let end = packed.length
  while (packed[end - 1] === null) end--
  return packed.slice(0, end) as unknown as PackedJob
}

export function unpackJob({ id, wallet, status, model }: PackedJobKey, job: PackedJob): JobView {
  const [tier, lock, charged, createdAtMs, completedAfter, worker, block, ...answer] = job
  const [promptTokens, completionTokens, escrowTx, settlementTx, proofHash, ...later] = answer
  const [refundTx, disputeTx, disputedHash] = later
  const createdAt = toUnixMs(Number(createdAtMs))
  return {
    id,
    wallet,
    status,
    model,
    tier: TIERS[tier]!,
    lock: toCredits(lock),
    charged: toCredits(charged),
    createdAt,
    completedAt: isThere(completedAfter) ? addMs(createdAt, Number(completedAfter)) : null,
    worker: addressOf(worker),
    block: block ?? null,
    usage:
      isThere(promptTokens) && isThere(completionTokens)
        ? { promptTokens, completionTokens }
        : null,
    escrowTx: hashOf(escrowTx),
    settlementTx: hashOf(settlementTx),
    proofHash: hashOf(proofHash),
    refundTx: hashOf(refundTx),
    disputeTx: hashOf(disputeTx),
    disputedHash: hashOf(disputedHash),
  }
}

const isThere = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined
const bytesOf = (hex: Address | Hex32 | null): Bytes => (hex === null ? null : toBytes(hex))
const hashOf = (bytes: Bytes | undefined): Hex32 | null => (bytes && hex32FromBytes(bytes)) ?? null
const addressOf = (bytes: Bytes | undefined): Address | null =>
  (bytes && addressFromBytes(bytes)) ?? null
