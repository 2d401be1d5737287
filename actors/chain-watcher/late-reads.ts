import { RANGE_BLOCKS_MAX, type Seen, type Trail } from '../../src/domain/block-trail.ts'
import type { ChainFact, EscrowReader } from '../../src/ports/escrow.ts'
import type { BlockId, Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { applyAll } from './apply.ts'
import type { CreditChange } from './credit-change.ts'
import { ledgerEntryOf } from './fact.ts'
import { proveReads } from './reads.ts'

interface Options {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly log: Log
  /** The last block that is not followed again after a crash. */
  kept(): number
}

/**
 * A wallet may have been read at a node that lags, after the blocks that it lacks were applied: they
 * are applied again. Mostly the ledger refuses such a read, but not where it has just forgotten all.
 */
export interface LateReads {
  /** Applies facts of blocks up to `seen`. @returns what changed the credits of a wallet */
  apply(seen: Seen, facts: readonly ChainFact[]): Promise<readonly CreditChange[]>
  /**
   * Brings wallets up to `last`. Where it throws, it is tried again at the next step.
   * @param trail ends in `last`
   * @param upTo what is followed next, and may have been read already
   */
  bringUp(last: Seen, trail: Trail, upTo: number): Promise<void>
  /** After a reorg: the ledger forgets all, and what was brought up with it. */
  forget(): Promise<void>
}

export function makeLateReads(options: Options): LateReads {
  const { reader, ledger, kept } = options
  /** Blocks that wallets are noted at because the follower brought them there: numbers by hashes. */
  const ownNotes = new Map<string, number>()

  const apply: LateReads['apply'] = ({ block, hash }, facts) => {
    if (facts.some((fact) => ledgerEntryOf(fact))) ownNotes.set(hash, block)
    return applyAll(ledger, facts, { block, blockHash: hash })
  }

  /**
   * Wallets that were brought up are as of `last` from then on: it is what is looked for, and what is noted
   * at an older block after that is late anew. Else, while one delivery holds back the trail that is kept,
   * all would be read at each step, and be forgotten once it is too much, with all that is reserved.
   */
  const noteAnew = async ({ block, hash }: Seen, late: readonly BlockId[]): Promise<void> => {
    ownNotes.set(hash, block)
    await ledger.noteRead({ block, blockHash: hash })
    await ledger.proven(late)
  }

  const forget = async () => {
    await ledger.forget()
    ownNotes.clear()
  }

  /** One that is gone went with all that the ledger knew: whoever is at a block of the others was read there. */
  const dropForgotten = (reads: readonly BlockId[]) => {
    const there = new Set<string>(reads.map(({ blockHash }) => blockHash))
    if ([...ownNotes.keys()].some((hash) => !there.has(hash))) ownNotes.clear()
  }

  const applyAgain = async (last: Seen, reads: readonly BlockId[]): Promise<void> => {
    const late = reads.filter(
      ({ block, blockHash }) => block < last.block && !ownNotes.has(blockHash),
    )
    if (late.length === 0) return
    const from = Math.min(...late.map(({ block }) => block)) + 1
    if (last.block - from >= RANGE_BLOCKS_MAX) return forget()
    await apply(last, await reader.facts(from, last.block, { end: last.hash }))
    await noteAnew(last, late)
  }

  return {
    apply,
    forget,
    bringUp: async (last, trail, upTo) => {
      const keptTo = kept()
      const reads = await proveReads(options, trail, upTo)
      dropForgotten(reads)
      await applyAgain(last, reads)
      // Only now: a note that is gone is all that told of a wallet that was read late.
      await ledger.proven(reads.filter(({ block }) => block <= keptTo))
      for (const [hash, block] of ownNotes) if (block <= keptTo) ownNotes.delete(hash)
    },
  }
}
