import type { RpcLog } from 'viem'
import type { Address } from '../domain/ids.ts'
import type { Contracts } from './contracts-file.ts'
import type { Rpc } from './json-rpc.ts'
import { readLogs } from './log-ranges.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Pick<Contracts, 'deployBlock'>
  readonly filter: { readonly address: Address; readonly topics: readonly unknown[] }
}

/** Deeper than a chain reorganizes while we look every few seconds. */
const OVERLAP_BLOCKS = 64

/**
 * Reads logs a piece at a time: each call gives those since the call before, and the latest blocks
 * once more, because they may have been replaced. `from`: what was known of later blocks is void.
 */
export function makeLogTail({ rpc, contracts, filter }: Options) {
  let next = contracts.deployBlock
  return async (
    to: number,
  ): Promise<{ readonly from: number; readonly logs: readonly RpcLog[] }> => {
    const from = Math.max(contracts.deployBlock, Math.min(next, to + 1) - OVERLAP_BLOCKS)
    const logs = to < from ? [] : await readLogs(rpc, filter, from, to)
    next = to + 1
    return { from, logs }
  }
}
