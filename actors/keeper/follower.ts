import {
  endOf,
  LAG_MAX_MS,
  lastCommon,
  nextRangeBlocks,
  RANGE_BLOCKS_FIRST,
  rangeEnd,
  type Seen,
  type Trail,
  upTo,
} from '../../src/domain/block-trail.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperBlock, KeeperReader } from '../../src/ports/keeper.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { EMPTY, evolve, REWIND_BLOCKS, rewind, type Watch } from './state.ts'

export interface FollowerOptions {
  readonly reader: KeeperReader
  readonly clock: Clock
  readonly log: Log
  /** Blocks after which an event counts: 1 takes it as soon as it is included. */
  readonly confirmations: number
  readonly deployBlock: number
  /** Where to go on; an empty trail begins with the deployment. */
  readonly trail: Trail
  readonly watch: Watch
  /** The chain went back: what was seen of it may have changed. */
  wentBack(): void
}

/** Keeps a watch as the chain has it, through reorgs. */
export interface Follower {
  readonly watch: Watch
  readonly trail: Trail
  /** Takes one range of blocks, or steps back from a reorg. @returns whether there is more */
  step(head: KeeperBlock): Promise<boolean>
  /** Replaces what is watched by what asking the chain has shown. */
  learn(watch: Watch): void
}

/** `missing`: the node that was asked does not have the block, not yet or not any more. */
type Standing = 'on_chain' | 'gone' | 'missing'

/** Longer than any reorg, so that a checkpoint may lie further back. */
const TRAIL_MAX = 256

export function makeFollower(options: FollowerOptions): Follower {
  const { reader, clock, log, confirmations, deployBlock } = options
  let { trail, watch } = options
  let missingSince: number | undefined
  let most = RANGE_BLOCKS_FIRST

  const step = async (head: KeeperBlock): Promise<boolean> => {
    const last = endOf(trail)
    if (last) {
      const standing = await standingOf(last, head)
      if (standing === 'missing' && !isGone()) return false
      if (standing !== 'missing') missingSince = undefined
      if (standing !== 'on_chain') return stepBack(last)
    }
    const from = last ? last.block + 1 : deployBlock
    const final = head.number - (confirmations - 1)
    const to = Math.min(final, rangeEnd(from, { final, near: REWIND_BLOCKS, most }))
    if (to < from) return false
    const end = to === head.number ? head : await reader.block(to)
    if (!end) return false // a node that lags behind the one that told the head
    const events = await reader.events(from, end, last?.hash)
    if (final - to >= REWIND_BLOCKS) most = nextRangeBlocks(most, events.length)
    watch = evolve(watch, events, to)
    trail = [...trail, { block: to, hash: end.hash }].slice(-TRAIL_MAX)
    return to < final
  }

  const standingOf = async ({ block, hash }: Seen, head: KeeperBlock): Promise<Standing> => {
    if (block > head.number) return 'missing'
    if (block === head.number - 1) return hash === head.parentHash ? 'on_chain' : 'gone'
    const found = block === head.number ? head : await reader.block(block)
    if (!found) return 'missing'
    return found.hash === hash ? 'on_chain' : 'gone'
  }

  const isGone = (): boolean => {
    missingSince ??= clock.monotonic()
    return clock.monotonic() - missingSince >= LAG_MAX_MS
  }

  /** @returns whether to go on at once */
  const stepBack = async (last: Seen): Promise<boolean> => {
    missingSince = undefined
    const seen = await lastCommon(trail, reader)
    // Nodes disagree: nothing is gone for the one that was asked now. Later they may be of one mind.
    if (seen?.block === last.block) return false
    const isNear = seen !== undefined && last.block - seen.block <= REWIND_BLOCKS
    trail = isNear ? upTo(trail, seen.block) : []
    watch = isNear ? rewind(watch, seen.block) : EMPTY
    const backTo = endOf(trail)?.block ?? deployBlock
    log.warn({ seen: last.block, backTo }, 'keeper: reorg, going back')
    options.wentBack()
    return true
  }

  return {
    get watch() {
      return watch
    },
    get trail() {
      return trail
    },
    step,
    learn: (learned) => {
      watch = learned
    },
  }
}
