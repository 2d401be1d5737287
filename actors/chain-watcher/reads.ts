import type { Trail } from '../../src/domain/block-trail.ts'
import { fewAtOnce } from '../../src/domain/few-at-once.ts'
import { ChainUnavailable, type EscrowReader } from '../../src/ports/escrow.ts'
import type { BlockId, Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/telemetry/log.ts'

interface Options {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly log: Log
}

/**
 * What is applied of a block is noted before, for a crash, and after, for whatever forgets meanwhile: so
 * the block is looked for like one that was read.
 */
export async function noted<Applied>(
  ledger: Ledger,
  block: BlockId,
  apply: () => Promise<Applied>,
): Promise<Applied> {
  await ledger.noteRead(block)
  const applied = await apply()
  await ledger.noteRead(block)
  return applied
}

/**
 * Wallets are read at the chain's head, which whoever follows the chain has yet to reach: it sees no
 * reorg of blocks that it never saw, and one may have taken place before it began to follow, in place
 * of one that died. So each block that a wallet was read at, or brought up to, is looked for once the
 * follower is past it. Where the chain does not hold it, the ledger forgets. It is looked for until the
 * trail that is kept has passed it: of what is gone after that a new follower would not know that it was there.
 * @param trail of the chain that counts
 * @param upTo the last block that is looked for
 * @returns those that the chain holds
 */
export async function proveReads(
  { reader, ledger, log }: Options,
  trail: Trail,
  upTo: number,
): Promise<readonly BlockId[]> {
  const reads = await ledger.reads(upTo)
  if (reads.length === 0) return []
  const seen = new Map(trail.map(({ block, hash }) => [block, hash]))
  const isOnChain = async ({ block, blockHash }: BlockId): Promise<boolean> => {
    const hash = seen.get(block) ?? (await reader.block(block))?.hash
    if (hash === undefined) throw new ChainUnavailable(`the node does not have block ${block}`)
    return hash === blockHash
  }
  // As many as blocks went by while nobody followed.
  const found = await fewAtOnce(reads, isOnChain)
  if (found.every(Boolean)) return reads
  log.warn({ reads, upTo }, 'watcher: wallets are as of a block that is gone, reading them anew')
  await ledger.forget()
  return []
}
