import { type Abi, decodeErrorResult } from 'viem'
import { type RpcError, revertDataOf } from './json-rpc.ts'

/**
 * Why a call reverted: the name of the contract's error, or the node's words where it tells of none.
 * @param unknown what an error is called that `abi` has not; its selector is told after it
 */
export function revertReason(error: RpcError, abi: Abi, unknown: string): string {
  const data = revertDataOf(error)
  if (!data) return error.reason
  try {
    return decodeErrorResult({ abi, data }).errorName
  } catch {
    return `${unknown}, ${data.slice(0, 10)}`
  }
}
