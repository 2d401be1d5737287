import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JobStatus, JobView } from '../../../src/messages/job-view.ts'

export const OWNER = toAddress(`0x${'11'.repeat(20)}`)
export const STRANGER = toAddress(`0x${'99'.repeat(20)}`)
export const MODEL = 'Qwen/Qwen3-8B'
const AT = 1_800_000_000_000

/** The id of the job that was made `ms` after a fixed moment, the `tail`th of its millisecond. */
export const jobAt = (ms: number, tail = 0): JobId =>
  makeJobId(
    toUnixMs(AT + ms),
    Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? tail : 0)),
  )

/** A job of that status, with every field that such a job has. */
export function viewOf(
  id: JobId,
  status: JobStatus = 'settled',
  more: Partial<JobView> = {},
): JobView {
  const isOver = status === 'settling' || status === 'settled' || status === 'disputed'
  return {
    id,
    wallet: OWNER,
    status,
    model: MODEL,
    tier: 'standard',
    lock: toCredits(100),
    charged: toCredits(status === 'settled' ? 8 : 0),
    worker: status === 'pending' ? null : toAddress(`0x${'22'.repeat(20)}`),
    createdAt: toUnixMs(AT),
    completedAt: isOver ? toUnixMs(AT + 1_234) : null,
    escrowTx: hash('44'),
    settlementTx: status === 'settled' || status === 'disputed' ? hash('55') : null,
    refundTx: status === 'refunded' || status === 'failed' ? hash('66') : null,
    disputeTx: status === 'disputed' ? hash('77') : null,
    disputedHash: status === 'disputed' ? hash('88') : null,
    block: status === 'settled' ? 123_456 : null,
    proofHash: isOver ? hash('ab') : null,
    usage: isOver ? { promptTokens: 12, completionTokens: 345 } : null,
    ...more,
  }
}

export const walletNumber = (n: number): Address =>
  toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const hash = (byte: string) => toHex32(`0x${byte.repeat(32)}`)
