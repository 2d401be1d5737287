import {
  endOf,
  lastCommon,
  nextRangeBlocks,
  RANGE_BLOCKS_FIRST,
  rangeEnd,
  type Seen,
  type Trail,
  upTo,
} from '../../src/domain/block-trail.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type { Clock } from '../../src/ports/clock.ts'
import {
  type Block,
  type ChainFact,
  ChainUnavailable,
  type EscrowReader,
} from '../../src/ports/escrow.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { CreditChange } from './credit-change.ts'
import type { Cursor } from './cursor.ts'
import { commandsOf } from './fact.ts'
import { makeLag } from './lag.ts'
import { makeLateReads } from './late-reads.ts'
import { type LowWater, makeLowWater } from './low-water.ts'
import { type Slash, slashesOf } from './slashes.ts'
import { follow } from './trail.ts'
import type { WatcherMetrics } from './watcher-metrics.ts'

export interface FollowerOptions {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
  readonly confirmations: number
  readonly deployBlock: number
  /** Where to go on; with the deployment, where its trail is empty. */
  readonly cursor: Cursor
  deliver(command: JobCommand, taken: () => void): void
  tell(change: CreditChange, told: () => void): void
  tellSlash(slash: Slash, told: () => void): void
  readonly metrics: WatcherMetrics
  /** While so much waits to be taken, no more blocks are. */
  readonly untakenMax?: number
  /** Everything up to the end of the cursor's trail has been taken. */
  moved(cursor: Cursor): void
  /** The last block that is not followed again after a crash. */
  kept(): number
}

export interface Follower {
  /** Takes one range of blocks, or steps back from a reorg. @returns whether there is more */
  step(): Promise<boolean>
}

/** A range here is short: its reader asks for each block, so that no node that lags hides one. */
const NEAR_BLOCKS = 64
/** A lock that a reorg has undone is sent again, perhaps for more, and is mostly included by then. */
const LOCKS_TOLD_BLOCKS = 64
/**
 * A kilobyte each, in a process that jobs run in, too. Blocks are read faster than jobs hear of them: with all that a
 * chain has seen since the deployment, as where the cursor is lost, there would be no end of it.
 */
const UNTAKEN_MAX = 100_000

/**
 * Follows the chain's head through reorgs. The ledger goes first; what is delivered and told holds
 * nothing up, unless it is very much; but until it is, the trail that is kept does not pass its block.
 */
export function makeFollower(options: FollowerOptions): Follower {
  const { reader, confirmations, deployBlock, untakenMax = UNTAKEN_MAX } = options
  let { trail, locksToldTo } = options.cursor
  let water = waterAt(trail, deployBlock)
  let isHeldUp = false
  let most = RANGE_BLOCKS_FIRST
  const lags = makeLag(reader, options.clock)
  const lateReads = makeLateReads(options)

  const step = async (): Promise<boolean> => {
    const head = await reader.head()
    if (await lags(head, trail)) return false
    // First, too: a node that refuses what follows leaves the ledger behind, and that must be seen.
    const final = head.number - (confirmations - 1)
    tellHowFar(head.number, final)
    const last = endOf(trail)
    const from = last ? last.block + 1 : deployBlock
    const to = Math.min(final, rangeEnd(from, { final, near: NEAR_BLOCKS, most }))
    const isFull = water.untaken >= untakenMax
    const end = isFull || to < from ? undefined : to === head.number ? head : await reader.block(to)
    if (last && !(await isLinked(reader, last, head, end))) {
      return stepBack(last, head)
    }
    // Before what is next is applied on top of them.
    if (last) await lateReads.bringUp(last, trail, end?.number ?? last.block)
    tellWhetherFull(isFull, to === final)
    if (end) {
      const facts = await reader.facts(from, to, { after: last?.hash, end: end.hash })
      // Far from the head all of it is in memory at once.
      if (final - to >= NEAR_BLOCKS) most = nextRangeBlocks(most, facts.length)
      await take(end, facts)
    }
    tellHowFar(head.number, final)
    if (!end) return false
    return to < final
  }

  /** Once, until all is taken: while it catches up, it is full again and again. */
  const tellWhetherFull = (isFull: boolean, isCaughtUp: boolean): void => {
    if (isFull === isHeldUp || (isHeldUp && !isCaughtUp)) return
    isHeldUp = isFull
    const { untaken } = water
    if (isFull)
      options.log.warn({ untaken }, 'watcher: waits until jobs and webhooks have heard more')
    else options.log.info('watcher: jobs and webhooks have heard')
  }

  const tellHowFar = (head: number, final: number) =>
    options.metrics.at({ head, final, taken: endOf(trail)?.block ?? deployBlock - 1 })

  const take = async ({ number: block, hash }: Block, facts: readonly ChainFact[]) => {
    const changes = await lateReads.apply({ block, hash }, facts)
    const at = options.clock.now()
    const commands = commandsOf(facts, { at, locksToldTo })
    const slashes = slashesOf(facts)
    trail = follow(trail, { block, hash }, water.done)
    const mine = water
    if (mine.open(block, commands.length + changes.length + slashes.length)) moved()
    // What began before a reorg no longer counts: it is done again.
    const done = () => {
      if (mine.close(block) && mine === water) moved()
    }
    for (const command of commands) options.deliver(command, done)
    for (const change of changes) options.tell(change, done)
    for (const slash of slashes) options.tellSlash(slash, done)
  }

  /** @returns whether to go on at once */
  const stepBack = async (last: Seen, head: Block): Promise<boolean> => {
    const common = await lastCommon(trail, reader)
    // Nodes disagree: nothing is gone for the one that was asked now. Later they may be of one mind.
    if (common?.block === last.block) return false
    // First: where this fails, the trail still ends in a block that is gone, so all of it is done again.
    await lateReads.forget()
    // What is not yet delivered is read again too: its deliveries are no longer counted.
    trail = common ? upTo(trail, Math.min(common.block, water.done)) : []
    water = waterAt(trail, deployBlock)
    locksToldTo = Math.max(locksToldTo, last.block + LOCKS_TOLD_BLOCKS)
    const about = { seen: last, head: head.number, backTo: endOf(trail)?.block ?? deployBlock }
    options.log.warn(about, 'watcher: reorg, going back')
    options.metrics.reorg()
    moved()
    return true
  }

  const moved = () => options.moved({ trail: upTo(trail, water.done), locksToldTo })

  return { step }
}

const waterAt = (trail: Trail, deployBlock: number): LowWater =>
  makeLowWater(endOf(trail)?.block ?? deployBlock - 1)

/** Whether the chain of `head` still holds `last`. */
async function isLinked(
  reader: EscrowReader,
  last: Seen,
  head: Block,
  end: Block | undefined,
): Promise<boolean> {
  if (head.number < last.block) return false
  if (head.number === last.block) return head.hash === last.hash
  if (end?.number === last.block + 1) return end.parentHash === last.hash
  const now = await reader.block(last.block)
  if (!now) throw new ChainUnavailable(`the node does not have block ${last.block} yet`)
  return now.hash === last.hash
}
