import type { RpcLog } from 'viem'
import type { Address } from '../../domain/ids.ts'
import type { Contracts } from '../contracts-file.ts'
import type { Rpc } from './json-rpc.ts'
import { logParts } from './log-ranges.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Pick<Contracts, 'deployBlock'>
  readonly filter: { readonly address: Address; readonly topics: readonly unknown[] }
}

/** Deeper than a chain reorganizes while we look every few seconds. */
const OVERLAP_BLOCKS = 64

/**
 * Reads logs a piece at a time: each call those since the call before, and the latest blocks once more, because
 * they may have been replaced. `take` is given them part by part, and some of them again. What it was given
 * counts as read: a call that fails in the middle is gone on with by the next one.
 */
export function makeLogTail({ rpc, contracts, filter }: Options) {
  let next = contracts.deployBlock
  return async (to: number, take: (logs: readonly RpcLog[]) => void): Promise<void> => {
    const from = Math.max(contracts.deployBlock, Math.min(next, to + 1) - OVERLAP_BLOCKS)
    if (to < from) return
    for await (const part of logParts(rpc, filter, from, to)) {
      take(part.logs)
      next = part.to + 1
    }
  }
}
