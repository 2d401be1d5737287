import type { KeeperBlock, KeeperReader } from '../../src/ports/keeper.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Seen, Trail } from './checkpoint.ts'
import { EMPTY, evolve, REWIND_BLOCKS, rewind, type Watch } from './state.ts'

export interface FollowerOptions {
  readonly reader: KeeperReader
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

const RANGE_BLOCKS = 500
/** Near the head the trail is finer: a reorg then costs few blocks that are read again. */
const NEAR_RANGE_BLOCKS = 8
/** Longer than any reorg, so that a checkpoint may lie further back. */
const TRAIL_MAX = 256

export function makeFollower(options: FollowerOptions): Follower {
  const { reader, log, confirmations, deployBlock } = options
  let { trail, watch } = options

  const step = async (head: KeeperBlock): Promise<boolean> => {
    const last = trail.at(-1)
    if (last && !(await isOnChain(last, head))) {
      await stepBack(last)
      return true
    }
    const from = last ? last.block + 1 : deployBlock
    const final = head.number - (confirmations - 1)
    const to = Math.min(final, rangeEnd(from, final))
    if (to < from) return false
    const end = to === head.number ? head : await reader.block(to)
    if (!end) return false // a node that lags behind the one that told the head
    watch = evolve(watch, await reader.events(from, end), to)
    trail = [...trail, { block: to, hash: end.hash }].slice(-TRAIL_MAX)
    return to < final
  }

  const isOnChain = async ({ block, hash }: Seen, head: KeeperBlock): Promise<boolean> => {
    if (block > head.number) return false
    if (block === head.number) return hash === head.hash
    if (block === head.number - 1) return hash === head.parentHash
    return (await reader.block(block))?.hash === hash
  }

  const stepBack = async (last: Seen) => {
    const seen = await lastCommon()
    const isNear = seen !== undefined && last.block - seen.block <= REWIND_BLOCKS
    trail = isNear ? trail.filter(({ block }) => block <= seen.block) : []
    watch = isNear ? rewind(watch, seen.block) : EMPTY
    const backTo = trail.at(-1)?.block ?? deployBlock
    log.warn({ seen: last.block, backTo }, 'keeper: reorg, going back')
    options.wentBack()
  }

  const lastCommon = async (): Promise<Seen | undefined> => {
    for (const seen of [...trail].reverse()) {
      if ((await reader.block(seen.block))?.hash === seen.hash) return seen
    }
    return undefined
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

function rangeEnd(from: number, final: number): number {
  const far = final - REWIND_BLOCKS
  return from < far ? Math.min(far, from + RANGE_BLOCKS - 1) : from + NEAR_RANGE_BLOCKS - 1
}
