import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { type Address, toAddress } from '../../domain/ids.ts'
import type { Hex } from '../../ports/escrow.ts'
import { workerStakingAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { readWorkerId } from './worker-reader.ts'

/** See NetworkReader.payeeOf. */
export async function readPayee(
  rpc: Rpc,
  contracts: Contracts,
  signer: Address,
): Promise<Address | undefined> {
  const workerId = await readWorkerId(rpc, contracts, signer)
  if (workerId === undefined) return undefined
  const call = { abi: workerStakingAbi, functionName: 'workers', args: [workerId] } as const
  const request = { to: contracts.workerStaking, data: encodeFunctionData(call) }
  const data = await rpc.call<Hex>('eth_call', [request, 'latest'])
  return toAddress(decodeFunctionResult({ ...call, data }).payee)
}
