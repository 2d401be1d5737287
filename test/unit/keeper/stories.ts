import type { JobId } from '../../../src/domain/ids.ts'
import type { KeeperEvent } from '../../../src/ports/keeper.ts'
import { job } from '../../fakes/chain/intents.ts'
import { timeOf } from '../../fakes/chain/keeper-chain.ts'

/** What befell the n-th job in a block. */
export function told(block: number, type: KeeperEvent['type'], n: number): KeeperEvent {
  const at = { jobId: job(n), block, at: timeOf(block) }
  return type === 'settled' || type === 'dispute_resolved'
    ? { type, ...at, workerId: 1 }
    : { type, ...at }
}

export const numbersOf = (jobIds: Iterable<JobId>): number[] =>
  [...jobIds].map((jobId) => {
    for (let n = 0; n < 100; n++) if (job(n) === jobId) return n
    throw new Error(`${jobId} is none of the first hundred`)
  })
