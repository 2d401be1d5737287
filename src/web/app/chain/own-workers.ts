import type { Address } from 'viem'
import { multicall } from 'viem/actions'
import { jobEscrowAbi, workerStakingAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { readerOf } from './reader.ts'
import { recordOf, type WorkerRecord } from './workers.ts'

export interface OwnWorker extends WorkerRecord {
  /** Earned and not paid out yet, in units of USDG. */
  readonly earnedUnits: bigint
}

/**
 * Of calldata in one call, which is 60 questions: the answers come back in place of the code of a contract, which
 * may have 24 KiB, and a worker takes 320 bytes of it.
 */
const BATCH_BYTES = 2_160
const AT_ONCE = { allowFailure: false, deployless: true, batchSize: BATCH_BYTES } as const
/** Asked for together, so that a node is not flooded. */
const SLICE = 1_200

/**
 * The workers that are paid to this address, the first that registered first. Every worker's record is asked for. The logs
 * know who was ever paid here, but a page reads them back only so far: who registered before that was left out.
 */
export async function readWorkersPaidTo(
  web: WebConfig,
  payee: Address,
): Promise<readonly OwnWorker[]> {
  const client = readerOf(web)
  const staking = { address: web.contracts.worker_staking, abi: workerStakingAbi } as const
  const count = await client.readContract({ ...staking, functionName: 'workerCount' })
  const paid: WorkerRecord[] = []
  // Ids begin at 1, without gaps.
  for (let first = 1; first <= count; first += SLICE) {
    const ids = numbersFrom(first, Math.min(SLICE, count - first + 1))
    const asked = ids.map((id) => ({ ...staking, functionName: 'workers', args: [id] }) as const)
    const found = await multicall(client, { ...AT_ONCE, contracts: asked })
    const records = found.map((each, i) => recordOf(ids[i]!, each))
    paid.push(...records.filter((record) => record.payee === payee))
  }
  return withEarnings(web, paid)
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

const numbersFrom = (first: number, howMany: number): number[] =>
  Array.from({ length: howMany }, (_, i) => first + i)
