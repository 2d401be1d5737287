import type { ChainBooks } from '../../src/audit/books/chain-books.ts'
import type { JobBook } from '../../src/audit/books/job-book.ts'

/** All that the chain says of one job. Credits. */
export interface JobOnChain {
  readonly locked: bigint
  readonly lockTx: string
  readonly end:
    | {
        readonly type: 'settled'
        readonly tx: string
        readonly charged: bigint
        readonly returned: bigint
        readonly outputHash: string
        readonly dispute: DisputeOnChain | null
      }
    | { readonly type: 'refunded'; readonly tx: string; readonly returned: bigint }
    | null
}

export interface DisputeOnChain {
  readonly tx: string
  readonly claimedHash: string
  /** Null: arbitration has not ended. */
  readonly end: { readonly tx: string; readonly upheld: boolean } | null
}

/** The auditor's books of each job, as tests speak of them. */
export const jobsOnChain = ({ jobs }: ChainBooks): ReadonlyMap<string, JobOnChain> =>
  new Map([...jobs].map(([id, job]) => [id, onChain(job)]))

function onChain(job: JobBook): JobOnChain {
  const { locked, lockTx } = job
  return { locked, lockTx, end: endOf(job) }
}

function endOf(job: JobBook): JobOnChain['end'] {
  const { locked, charged, settlementTx, outputHash, refundTx, dispute } = job
  if (settlementTx !== null && outputHash !== null) {
    const settled = { type: 'settled', tx: settlementTx, charged, outputHash } as const
    const { verdict, ...opened } = dispute ?? { verdict: null }
    const contested = 'tx' in opened ? { ...opened, end: verdict } : null
    return { ...settled, returned: locked - charged, dispute: contested }
  }
  return refundTx === null ? null : { type: 'refunded', tx: refundTx, returned: locked }
}
