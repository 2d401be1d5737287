import { numberToHex, type RpcLog } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { type Rpc, RpcError } from './json-rpc.ts'

export interface LogFilter {
  readonly address: Address | readonly Address[]
  readonly topics: readonly unknown[]
}

/** The logs of all blocks from where the part before has ended. */
export interface LogPart {
  /** The last block of it. */
  readonly to: number
  readonly logs: readonly RpcLog[]
}

/** Logs of blocks `from` to `to`, in the chain's order. */
export async function readLogs(
  rpc: Rpc,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<readonly RpcLog[]> {
  const logs: RpcLog[] = []
  for await (const part of logParts(rpc, filter, from, to)) {
    // One by one: there may be more than a call takes arguments.
    for (const log of part.logs) logs.push(log)
  }
  return logs
}

/**
 * The same part by part, as the node gives them: in halves where it refuses the whole, since its limits are
 * its own, of blocks or of logs.
 */
export async function* logParts(
  rpc: Rpc,
  filter: LogFilter,
  from: number,
  to: number,
): AsyncGenerator<LogPart> {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  let whole: LogPart
  try {
    whole = { to, logs: await rpc.call<RpcLog[]>('eth_getLogs', [{ ...filter, ...range }]) }
  } catch (error) {
    if (!(error instanceof RpcError) || from === to) throw error
    const middle = Math.floor((from + to) / 2)
    yield* logParts(rpc, filter, from, middle)
    yield* logParts(rpc, filter, middle + 1, to)
    return
  }
  yield whole
}
