import { escrowReads, jobKey, RECORD_STATUSES } from '../chain/abi.ts'
import type { Chain } from '../chain/connect.ts'
import { askEach } from './ask-each.ts'
import type { ChainBooks } from './chain-books.ts'
import { type Difference, differ, sameAmount } from './difference.ts'
import { workerShare } from './rules.ts'

/** Each job's own record: it is read last, so that one which moves meanwhile seems to differ. */
export async function recordDifferences(chain: Chain, books: ChainBooks): Promise<Difference[]> {
  const read = { address: chain.escrow, abi: escrowReads, functionName: 'jobs' } as const
  const found = await askEach([...books.jobs], async ([id, job]) => {
    const key = jobKey(id)
    if (!key) return [differ(id, 'is locked on chain and no job id')]
    const record = await chain.client.readContract({ ...read, args: [key] })
    const isSettled = job.settlementTx !== null
    const wanted = describe(job.status, isSettled ? job.charged : job.locked, job.wallet)
    const status = RECORD_STATUSES[record.status] ?? `status ${record.status}`
    const kept = describe(status, BigInt(record.credits), record.wallet)
    const share = workerShare(job.charged, record.staked)
    return [
      ...(kept === wanted ? [] : [differ(id, `the contract has it ${kept}, the events ${wanted}`)]),
      ...(isSettled ? sameAmount(id, 'its share by the stake', share, job.workerUnits) : []),
    ]
  })
  return found.flat()
}

const describe = (status: string, credits: bigint, wallet: string): string =>
  `${status} with ${credits} credits of ${wallet.toLowerCase()}`
