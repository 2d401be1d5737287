import { encodeEventTopics } from 'viem'
import { type JobId, jobIdToBytes32, toHex32 } from '../../domain/ids.ts'
import type { DisputeEnd } from '../../ports/network-chain.ts'
import { jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { readLogs } from '../rpc/log-ranges.ts'

/** See NetworkReader.disputeEnd. */
export async function readDisputeEnd(
  rpc: Rpc,
  { jobEscrow }: Contracts,
  jobId: JobId,
  from: number,
): Promise<DisputeEnd | null> {
  const topics = encodeEventTopics({
    abi: jobEscrowAbi,
    eventName: 'DisputeResolved',
    args: { jobId: jobIdToBytes32(jobId) },
  })
  const head = Number(await rpc.call<string>('eth_blockNumber', []))
  const [log] = await readLogs(rpc, { address: jobEscrow, topics }, from, head)
  return log?.transactionHash ? { tx: toHex32(log.transactionHash) } : null
}
