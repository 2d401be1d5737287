import { encodeFunctionData, prepareEncodeFunctionData } from 'viem'
import type { Address } from '../../domain/ids.ts'
import type { RegisterWorker } from '../../messages/lane.ts'
import type { Hex } from '../../ports/escrow.ts'
import { workerStakingAbi } from '../abi.ts'
import { registerData } from '../calldata.ts'
import type { Contracts } from '../contracts-file.ts'
import { isRevert, type Rpc, RpcError } from '../rpc/json-rpc.ts'
import { readLogs } from '../rpc/log-ranges.ts'
import { revertReason } from '../rpc/revert-reason.ts'
import { addressTopic, WORKER_DEACTIVATED } from './facts.ts'

/* What WorkerStaking says of one worker. See EscrowReader for each. */

/** Asked of every worker that connects: its selector is hashed once. */
const WORKER_ID_OF = prepareEncodeFunctionData({
  abi: workerStakingAbi,
  functionName: 'workerIdOf',
})

export async function readWorkerId(
  rpc: Rpc,
  contracts: Contracts,
  signer: Address,
): Promise<number | undefined> {
  const data = encodeFunctionData({ ...WORKER_ID_OF, args: [signer] })
  const result = await rpc.call<Hex>('eth_call', [{ to: contracts.workerStaking, data }, 'latest'])
  // Ids begin at 1.
  return Number(result) || undefined
}

/** Lets the node try the registration, which costs nothing. */
export async function readRegistrationError(
  rpc: Rpc,
  contracts: Contracts,
  wish: RegisterWorker,
): Promise<string | undefined> {
  const call = { to: contracts.workerStaking, data: registerData(wish) }
  try {
    await rpc.call<Hex>('eth_call', [call, 'latest'])
    return undefined
  } catch (error) {
    if (!(error instanceof RpcError) || !isRevert(error)) throw error
    return revertReason(error, workerStakingAbi, 'an error that WorkerStaking does not have')
  }
}

export async function readDeactivated(
  rpc: Rpc,
  { workerStaking }: Contracts,
  from: number,
  to: number,
): Promise<readonly Address[]> {
  const filter = { address: workerStaking, topics: [WORKER_DEACTIVATED] }
  const logs = await readLogs(rpc, filter, from, to)
  return logs.map((log) => addressTopic(log, 2))
}
