import { endOf } from '../../src/domain/block-trail.ts'
import type { Credits } from '../../src/domain/credits.ts'
import type { Address, JobId } from '../../src/domain/ids.ts'
import { unixSeconds } from '../../src/domain/time.ts'
import type { Bus } from '../../src/ports/bus.ts'
import { type Clock, inTime } from '../../src/ports/clock.ts'
import type {
  KeeperBlock,
  KeeperReader,
  KeeperTerms,
  KeeperWriter,
} from '../../src/ports/keeper.ts'
import type { Registry } from '../../src/ports/registry.ts'
import { makePokedLoop } from '../../src/runtime/poked-loop.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { openAddressDesk } from './address-desk.ts'
import { watchOf } from './checkpoint.ts'
import { makeCheckpointStore } from './checkpoint-store.ts'
import { makeClaims } from './claims.ts'
import { makeDeposits } from './deposits.ts'
import { due } from './due.ts'
import { type Follower, makeFollower } from './follower.ts'
import { makeHands } from './hands.ts'
import { makeProofs, type Proofs } from './proofs.ts'
import { makeRefunds } from './refunds.ts'
import { makeStanding } from './standing.ts'
import { EMPTY } from './state.ts'
import { makeWatchedWallets } from './watched-wallets.ts'

export interface KeeperOptions {
  readonly reader: KeeperReader
  readonly writer: KeeperWriter
  readonly bus: Bus
  readonly registries: {
    /** Bucket CURSORS. */
    readonly cursors: Registry
    /** Bucket KEYS. */
    readonly keys: Registry
    /** Bucket WALLETS. */
    readonly wallets: Registry
    /** Bucket STRIKES. */
    readonly strikes: Registry
  }
  readonly clock: Clock
  readonly log: Log
  /** Calls soon after each new block. */
  onBlock(call: () => void): () => void
  readonly confirmations: number
  readonly deployBlock: number
  readonly jobEscrow: Address
  /** Earnings below it are claimed once a day. */
  readonly claimMinimum: Credits
  /** Most wei a unit of gas for what callers wait for, and for claims. */
  readonly feeCeilingWei: bigint
  readonly claimFeeCeilingWei: bigint
}

/**
 * Ends what nobody else ends: locks and disputes that outlived their time, settlements that a reorg has
 * undone, tokens at deposit addresses, earnings that nobody claims, proofs of cheating that nobody sends.
 * One host runs it; two at once would only be in each other's way.
 */
export interface Keeper {
  /** One that fails leaves nothing open. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Blocks are told of; this is for what falls due without one. */
const SAFETY_POLL_MS = 1_000
/** Blocks may come many a second; nothing that falls due here is in such a hurry. */
const BLOCKS_TOGETHER_MS = 250
const STOP_PATIENCE_MS = 2_000
/** The last block that counts while none was read. */
const NO_BLOCK = -1

export function makeKeeper(options: KeeperOptions): Keeper {
  const { reader, bus, clock, log, registries, jobEscrow } = options
  let stopAll: (() => Promise<void>) | undefined

  const stop = async () => {
    await stopAll?.()
    stopAll = undefined
  }

  const open = async () => {
    const checkpoints = makeCheckpointStore({
      registry: registries.cursors,
      ...{ jobEscrow, clock, log },
    })
    const checkpoint = await checkpoints.load()
    const hands = makeHands(options)
    const deposits = makeDeposits({ reader, hands, clock })
    const follower = makeFollower({
      ...options,
      trail: checkpoint?.trail ?? [],
      watch: checkpoint ? watchOf(checkpoint) : EMPTY,
      wentBack: deposits.lookAgain,
    })
    const wallets = makeWatchedWallets(registries)
    const proofs = makeProofs({ ...options, strikes: registries.strikes, hands })
    const turn = makeTurn({ ...options, follower, deposits, hands, checkpoints, proofs })
    const loop = makePokedLoop({ name: 'keeper', step: turn, clock, log })
    const endings = [wallets.stop, proofs.stop]
    stopAll = async () => {
      for (const end of endings) end()
      // A call may wait for its block for long; given up halfway it does no harm.
      await inTime(clock, STOP_PATIENCE_MS, loop.stop())
      await checkpoints.saveNow(follower.watch, follower.trail)
    }
    await wallets.start((wallet) => {
      deposits.watch(wallet)
      loop.poke()
    })
    await proofs.start(loop.poke)
    let waiting: (() => void) | undefined
    const onBlock = () => {
      waiting ??= clock.after(BLOCKS_TOGETHER_MS, () => {
        waiting = undefined
        loop.poke()
      })
    }
    endings.push(
      openAddressDesk({ bus, reader, wallets, log }),
      options.onBlock(onBlock),
      () => waiting?.(),
      clock.every(SAFETY_POLL_MS, loop.poke),
    )
    loop.poke()
    log.info({ address: options.writer.address }, 'keeper: at work')
  }

  return {
    start: async () => {
      try {
        await open()
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop,
  }
}

interface TurnOptions extends KeeperOptions {
  readonly follower: Follower
  readonly deposits: ReturnType<typeof makeDeposits>
  readonly hands: ReturnType<typeof makeHands>
  readonly checkpoints: ReturnType<typeof makeCheckpointStore>
  readonly proofs: Proofs
}

/**
 * One turn makes at most one call of each kind, so that none waits behind another's many. Callers'
 * money goes first. What fails in one kind holds up no other.
 */
function makeTurn(options: TurnOptions): () => Promise<boolean> {
  const { reader, bus, clock, follower, deposits, hands, checkpoints, proofs } = options
  const refundOne = makeRefunds({ bus, hands })
  const askStanding = makeStanding(options)
  const claimOne = makeClaims({ reader, hands, minimum: options.claimMinimum })
  const apart = makeApart(options.log)
  let terms: KeeperTerms | undefined

  const endDispute = async (jobIds: readonly JobId[]): Promise<boolean> => {
    for (const jobId of jobIds) {
      const call = { type: 'end_dispute', jobId } as const
      if (hands.isReady(call)) return (await hands.perform(call)) === 'done'
    }
    return false
  }

  const endOverdue = async (head: KeeperBlock, known: KeeperTerms): Promise<boolean> => {
    if (await follower.step(head)) return true
    await checkpoints.save(follower.watch, follower.trail)
    // A chain that mines at each transaction stands still while nobody sends one.
    const now = Math.max(head.at, unixSeconds(clock.now()))
    const { refunds, standing, disputes, earners } = due(follower.watch, now, known)
    askStanding(standing)
    const acted = [
      await apart('refunds', () => refundOne(refunds)),
      await apart('disputes', () => endDispute(disputes)),
      await apart('claims', async () => {
        const claimed = await claimOne(earners, follower.watch, { now, head: head.number })
        follower.learn(claimed.watch)
        return claimed.acted
      }),
    ]
    return acted.some(Boolean)
  }

  return async () => {
    const head = await reader.head()
    terms ??= await reader.terms()
    const known = terms
    await apart('transfers', async () => {
      await deposits.listen(head.number, endOf(follower.trail)?.block ?? NO_BLOCK)
      return false
    })
    const swept = await apart('sweeps', () => deposits.sweep(known))
    const ended = await apart('openings', () => endOverdue(head, known))
    const proved = await apart('proofs', () => proofs.sendOne(head.number))
    return swept || ended || proved
  }
}

/**
 * The next turn tries again what failed. Told of is what failed twice in a row, until it goes on: a node
 * that is mining refuses to read its latest block now and then.
 */
function makeApart(log: Log) {
  const failures = new Map<string, number>()
  return async (part: string, act: () => Promise<boolean>): Promise<boolean> => {
    try {
      const acted = await act()
      if ((failures.get(part) ?? 0) > 1) log.info({ part }, 'keeper: goes on')
      failures.delete(part)
      return acted
    } catch (error) {
      const count = (failures.get(part) ?? 0) + 1
      failures.set(part, count)
      const about = { err: error, part }
      if (count === 2) log.warn(about, 'keeper: held up, trying again every second')
      else log.debug(about, 'keeper: held up')
      return false
    }
  }
}
