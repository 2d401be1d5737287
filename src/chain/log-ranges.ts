import { numberToHex, type RpcLog } from 'viem'
import type { Address } from '../domain/ids.ts'
import { type Rpc, RpcError } from './json-rpc.ts'

export interface LogFilter {
  readonly address: Address | readonly Address[]
  readonly topics: readonly unknown[]
}

/**
 * Logs of blocks `from` to `to`, in the chain's order. In halves where the node refuses the whole: its limits
 * are its own, of blocks or of logs.
 */
export async function readLogs(
  rpc: Rpc,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<readonly RpcLog[]> {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  try {
    return await rpc.call<RpcLog[]>('eth_getLogs', [{ ...filter, ...range }])
  } catch (error) {
    if (!(error instanceof RpcError) || from === to) throw error
    const middle = Math.floor((from + to) / 2)
    const older = await readLogs(rpc, filter, from, middle)
    return [...older, ...(await readLogs(rpc, filter, middle + 1, to))]
  }
}
