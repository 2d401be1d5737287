import { createHash } from 'node:crypto'
import { toCredits } from '../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress, toHex32 } from '../../src/domain/ids.ts'
import { LAUNCH_LINEUP } from '../../src/domain/models.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { JobStatus, JobView } from '../../src/messages/job-view.ts'
import type { VersionedJob } from '../../src/ports/job-views.ts'

/** Jobs by the million, the same at each run, with every status and model there is. */

const FIRST_AT = 1_800_000_000_000
const BETWEEN_MS = 997
/** Of 100 jobs in a row. */
const STATUSES: readonly (readonly [JobStatus, number])[] = [
  ['settled', 90],
  ['failed', 4],
  ['refunded', 2],
  ['disputed', 1],
  ['settling', 1],
  ['processing', 1],
  ['pending', 1],
]
const byHundred = STATUSES.flatMap(([status, count]) => Array<JobStatus>(count).fill(status))

export const statusOf = (n: number): JobStatus => byHundred[(n * 37) % 100]!
export const modelOf = (n: number): string =>
  LAUNCH_LINEUP[(n * 7 + (n >> 5)) % LAUNCH_LINEUP.length]!.id

export const idOf = (n: number): JobId =>
  makeJobId(toUnixMs(FIRST_AT + n * BETWEEN_MS), digest('id', n))

export function jobOf(wallet: Address, n: number): VersionedJob {
  const status = statusOf(n)
  const isProved = status === 'settled' || status === 'disputed' || status === 'settling'
  const isSettled = status === 'settled' || status === 'disputed'
  const isBack = status === 'failed' || status === 'refunded'
  const model = LAUNCH_LINEUP.find(({ id }) => id === modelOf(n))!
  const createdAt = FIRST_AT + n * BETWEEN_MS
  const view: JobView = {
    id: idOf(n),
    wallet,
    status,
    model: model.id,
    tier: model.tier,
    lock: toCredits(40 + (n % 400)),
    charged: toCredits(isSettled ? 8 + (n % 40) : 0),
    worker: status === 'pending' ? null : toAddress(`0x${hex('worker', n % 50).slice(0, 40)}`),
    createdAt: toUnixMs(createdAt),
    completedAt: isProved ? toUnixMs(createdAt + 500 + ((n * 13) % 20_000)) : null,
    escrowTx: toHex32(`0x${hex('escrow', n)}`),
    settlementTx: isSettled ? toHex32(`0x${hex('settlement', n)}`) : null,
    refundTx: isBack ? toHex32(`0x${hex('refund', n)}`) : null,
    disputeTx: status === 'disputed' ? toHex32(`0x${hex('dispute', n)}`) : null,
    disputedHash: status === 'disputed' ? toHex32(`0x${hex('claimed', n)}`) : null,
    block: isSettled || isBack ? 20_000_000 + n : null,
    proofHash: isProved ? toHex32(`0x${hex('proof', n)}`) : null,
    usage: isProved ? { promptTokens: 20 + (n % 3_000), completionTokens: 5 + (n % 900) } : null,
  }
  return { view, version: n + 1 }
}

const digest = (what: string, n: number) => createHash('sha256').update(`${what}${n}`).digest()
const hex = (what: string, n: number) => digest(what, n).toString('hex')
