import type { Address } from 'viem'
import { multicall } from 'viem/actions'
import { jobEscrowAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { AT_ONCE, readRecordsOf } from './every-worker.ts'
import { readerOf } from './reader.ts'
import type { WorkerRecord } from './workers.ts'

export interface OwnWorker extends WorkerRecord {
  /** Earned and not paid out yet, in units of USDG. */
  readonly earnedUnits: bigint
}

/** The workers that are paid to this address, the first that registered first. */
export async function readWorkersPaidTo(
  web: WebConfig,
  payee: Address,
): Promise<readonly OwnWorker[]> {
  return withEarnings(web, await readRecordsOf(web, (record) => record.payee === payee))
}

/** @param workers in the order in which they come back */
export async function withEarnings(
  web: WebConfig,
  workers: readonly WorkerRecord[],
): Promise<readonly OwnWorker[]> {
  const escrow = { address: web.contracts.job_escrow, abi: jobEscrowAbi } as const
  const contracts = workers.map(
    ({ id }) => ({ ...escrow, functionName: 'earnings', args: [id] }) as const,
  )
  const earned = await multicall(readerOf(web), { ...AT_ONCE, contracts })
  return workers.map((worker, i) => ({ ...worker, earnedUnits: earned[i]! }))
}
