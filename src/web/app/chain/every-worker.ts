import type { Address } from 'viem'
import { multicall } from 'viem/actions'
import { workerStakingAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { readerOf } from './reader.ts'
import { recordOf, type WorkerRecord } from './workers.ts'

/**
 * Of calldata in one call, which is 60 questions: the answers come back in place of the code of a contract, which
 * may have 24 KiB, and a worker takes 320 bytes of it.
 */
const BATCH_BYTES = 2_160
export const AT_ONCE = { allowFailure: false, deployless: true, batchSize: BATCH_BYTES } as const
/** Asked for together, so that a node is not flooded. */
const SLICE = 1_200

/**
 * Of all workers those that are wanted, the first that registered first. Every worker's record is asked for: the logs
 * know them as well, but a page reads those back only so far, and who registered before that was left out.
 */
export async function readRecordsOf(
  web: WebConfig,
  isWanted: (record: WorkerRecord) => boolean,
): Promise<readonly WorkerRecord[]> {
  const client = readerOf(web)
  const staking = { address: web.contracts.worker_staking, abi: workerStakingAbi } as const
  const count = await client.readContract({ ...staking, functionName: 'workerCount' })
  const wanted: WorkerRecord[] = []
  // Ids begin at 1, without gaps.
  for (let first = 1; first <= count; first += SLICE) {
    const ids = numbersFrom(first, Math.min(SLICE, count - first + 1))
    const asked = ids.map((id) => ({ ...staking, functionName: 'workers', args: [id] }) as const)
    const found = await multicall(client, { ...AT_ONCE, contracts: asked })
    wanted.push(...found.map((each, i) => recordOf(ids[i]!, each)).filter(isWanted))
  }
  return wanted
}

/** 0: there is none. The contract gives no number for those who have left. Ask once, not at each look. */
export async function idOfOneThatLeft(web: WebConfig, signer: Address): Promise<number> {
  const [left] = await readRecordsOf(web, (record) => record.signer === signer && record.hasLeft)
  return left?.id ?? 0
}

const numbersFrom = (first: number, howMany: number): number[] =>
  Array.from({ length: howMany }, (_, i) => first + i)
