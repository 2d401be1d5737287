import { decodeFunctionResult, encodeFunctionData, numberToHex, type RpcLog } from 'viem'
import { type JobId, jobIdToBytes32 } from '../../domain/ids.ts'
import type { Hex } from '../../ports/escrow.ts'
import { jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import { type Rpc, RpcError } from '../rpc/json-rpc.ts'
import { JOB_TOPICS, jobTopic, TOPICS } from './facts.ts'

/** Where a node has refused the whole of the chain. Most that have a limit take as many. */
const SPAN_MAX = 10_000
/** `JobStatus.None` */
const NONE = 0

export const jobFilter = ({ jobEscrow }: Contracts, jobId: JobId) => ({
  address: jobEscrow,
  topics: [JOB_TOPICS, jobTopic(jobId)],
})

/**
 * All logs of one job from its lock on, oldest first. In one question; where the node refuses that, as many
 * blocks at a time as it takes, back from the newest.
 * @throws {ChainUnavailable}
 */
export async function readJobLogs(
  rpc: Rpc,
  contracts: Contracts,
  jobId: JobId,
): Promise<readonly RpcLog[]> {
  const range = { fromBlock: numberToHex(contracts.deployBlock), toBlock: 'latest' }
  try {
    return await rpc.call<RpcLog[]>('eth_getLogs', [{ ...jobFilter(contracts, jobId), ...range }])
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    // Of a job that the escrow does not know, all of the chain would be searched.
    return (await isKnown(rpc, contracts, jobId)) ? readBack(rpc, contracts, jobId) : []
  }
}

async function isKnown(rpc: Rpc, { jobEscrow }: Contracts, jobId: JobId): Promise<boolean> {
  const read = { abi: jobEscrowAbi, functionName: 'jobs' } as const
  const data = encodeFunctionData({ ...read, args: [jobIdToBytes32(jobId)] })
  const answer = await rpc.call<Hex>('eth_call', [{ to: jobEscrow, data }, 'latest'])
  return decodeFunctionResult({ ...read, data: answer }).status !== NONE
}

/** To the job's lock: nothing happens to a job before that but that its lock is passed over. */
async function readBack(rpc: Rpc, contracts: Contracts, jobId: JobId): Promise<readonly RpcLog[]> {
  const found: RpcLog[] = []
  let span = SPAN_MAX
  let to = Number(await rpc.call<string>('eth_blockNumber', []))
  while (to >= contracts.deployBlock) {
    const from = Math.max(contracts.deployBlock, to - span + 1)
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    try {
      const filter = { ...jobFilter(contracts, jobId), ...range }
      const logs = await rpc.call<RpcLog[]>('eth_getLogs', [filter])
      found.unshift(...logs)
      if (logs.some(({ topics }) => topics[0] === TOPICS.locked)) break
      to = from - 1
    } catch (error) {
      if (!(error instanceof RpcError) || from === to) throw error
      span = Math.ceil((to - from + 1) / 2)
    }
  }
  return found
}
