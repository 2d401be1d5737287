import { ChainUnavailable, type EscrowReader } from '../../src/ports/escrow.ts'
import type { BlockId, Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Trail } from './trail.ts'

interface Options {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly log: Log
}

/**
 * Wallets are read at the chain's head, which whoever follows the chain has yet to reach: it sees no
 * reorg of blocks that it never saw, and one may have taken place before it began to follow. So each
 * block that a wallet was read at is looked for once the follower is past it. Where the chain does not
 * hold it, the ledger forgets.
 * @param trail of the chain that counts
 */
export async function proveReads(
  { reader, ledger, log }: Options,
  trail: Trail,
  upTo: number,
): Promise<void> {
  const reads = await ledger.reads(upTo)
  if (reads.length === 0) return
  const isOnChain = async ({ block, blockHash }: BlockId): Promise<boolean> => {
    const hash =
      trail.find((seen) => seen.block === block)?.hash ?? (await reader.block(block))?.hash
    if (hash === undefined) throw new ChainUnavailable(`the node does not have block ${block}`)
    return hash === blockHash
  }
  const found = await Promise.all(reads.map(isOnChain))
  if (found.every(Boolean)) return ledger.proven(reads)
  log.warn({ reads, upTo }, 'watcher: wallets were read at a block that is gone, reading them anew')
  await ledger.forget()
}
