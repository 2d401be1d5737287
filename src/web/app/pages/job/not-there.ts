import type { JobLife, JobMomentName } from '../../../api.ts'

type Job = JobLife['job']

/** Said in place of a time. Most are of a block, and come with it; when a job broke, it keeps to itself. */
export const insteadOfTime = (event: JobMomentName): string =>
  event === 'failed' ? 'its time is not kept' : 'time not known yet'

/** It ended without an answer that was paid for. */
export const isReturned = ({ status, on_chain }: Job): boolean =>
  status === 'failed' || (status === 'refunded' && on_chain.settlement_tx === null)

/** Said in place of the transactions of lock and return; undefined: they are to come. */
export const insteadOfLock = (job: Job): string | undefined =>
  isReturned(job) && job.on_chain.escrow_tx === null && job.on_chain.refund_tx === null
    ? 'none on the chain'
    : undefined
