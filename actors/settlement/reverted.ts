import type { Lane } from '../../src/messages/subjects.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { type EscrowWriter, RoleMissing } from '../../src/ports/escrow.ts'
import type { JobBatch, Skipped } from './outcome.ts'
import { forget, halves, type LaneQueue } from './queue.ts'
import type { UntilChain } from './until-chain.ts'

interface Options {
  readonly lane: Lane
  readonly queue: LaneQueue
  readonly writer: EscrowWriter
  readonly untilChain: UntilChain
  readonly clock: Clock
  /** Finds out what became of an item, beside all else. */
  explain(skipped: Skipped): void
}

/** After a transaction, in that block, that reverted as a whole. */
export type AfterRevert = (batch: JobBatch, block: number) => Promise<void>

/** Until a settlement that reverted alone is tried again, whatever its job asks. */
const REVERTED_MS = 30_000

/**
 * A key without its role is no item's fault: all wait until it has it, since who was answered is to be paid
 * for it. Else the parts of the batch are tried again, down to the one that fails them all.
 */
export function makeAfterRevert(options: Options): AfterRevert {
  const { lane, queue, writer, untilChain } = options
  return async (batch, block) => {
    let hadRole = true
    await untilChain(async () => {
      try {
        await writer.requireRole(lane)
      } catch (error) {
        if (error instanceof RoleMissing) hadRole = false
        throw error
      }
    })
    const parts = halves(batch)
    if (!hadRole) queue.again.unshift(batch)
    else if (parts) queue.again.push(...parts)
    else giveUp(options, batch, block)
  }
}

function giveUp({ queue, clock, explain }: Options, { items }: JobBatch, block: number): void {
  const [intent] = items
  if (!intent) return
  switch (intent.type) {
    case 'lock':
      explain({ type: 'skipped', intent, reason: 'reverted', block })
      return
    // Its worker has answered, and the role may have been away for a block. Each try costs gas.
    case 'settle':
      clock.after(REVERTED_MS, () => forget(queue, intent))
      return
    // A refund has nobody to refuse it to, and a dispute is the caller's right: the job asks again,
    // until the lock expires on chain, or the window for disputes ends there.
    default:
      forget(queue, intent)
  }
}
