import { createHash } from 'node:crypto'
import { type Address, type Hex32, toHex32 } from '../../../src/domain/ids.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type { Random, World } from '../world.ts'
import {
  type Included,
  inOrder,
  isDone,
  mostOf,
  type SimBlock,
  type Transaction,
} from './blocks.ts'
import type { Call } from './calls.ts'
import { execute } from './contract.ts'
import { ContractState } from './contract-state.ts'
import { gasUsed, Purses, type Spent } from './gas.ts'
import type { NodeTroubles } from './node-troubles.ts'
import { type ContractTerms, type Log, Revert, Scene } from './scene.ts'

export interface ChainTerms {
  /** From a block to the next, on average. */
  readonly blockMs: number
  /** In wei a unit of gas, while the chain is not busy. */
  readonly baseFeeWei: bigint
  /** Of the faults below, all at once: 0 is a chain that never errs, 1 is usual. */
  readonly trouble: number
}

/** A chain as one node has it: up to its head. */
export interface Seen {
  readonly blocks: readonly SimBlock[]
  readonly head: SimBlock
}

/** By chance, of each block or of each transaction in each block. */
const FAULTS = {
  reorg: 0.03,
  goneBack: 0.3,
  lostInReorg: 0.25,
  dropped: 0.03,
  passedBy: 0.15,
  dear: 0.04,
  outage: 0.015,
  late: 0.1,
  unpaidForgotten: 0.5,
}
const REORG_BLOCKS_MAX = 3
const DEAR_BLOCKS_MAX = 6
const OUTAGE_MS_MAX = 6_000
const INTRUDER_GAS = 100_000n

/**
 * One chain and the node in front of it: a pool, blocks at an interval, nonces, base fees that rise
 * and fall; in times of trouble also reorgs, lost and passed over transactions, and outages.
 */
export class SimChain {
  /** The one that counts, from the deployment's block on. */
  readonly blocks: SimBlock[]
  /** In order of arrival. */
  pool: Transaction[] = []
  /** Blocks that a reorg has thrown away, for who judges later. */
  readonly orphans: SimBlock[] = []
  readonly contract: ContractTerms
  /** Of its nodes, in few lives. */
  troubles: NodeTroubles | undefined
  #world: World
  #terms: ChainTerms
  #downUntil = 0
  #dearBlocks = 0
  #dearTimes = 1n
  #count = 0
  readonly #purses = new Purses()
  #gasTimes = 1
  /** No reorg takes these back: with them the world began. */
  #firstBlocks = 1
  readonly #listeners = new Set<() => void>()

  constructor(world: World, contract: ContractTerms, terms: ChainTerms) {
    this.#world = world
    this.#terms = terms
    this.contract = contract
    const state = new ContractState()
    state.capPerHour = contract.settleCapMax
    const genesis = { number: 0, hash: hashOf('genesis'), parentHash: hashOf('nothing') }
    const { baseFeeWei } = terms
    const at = seconds(world)
    this.blocks = [
      { ...genesis, at, baseFeeWei, included: [], state, nonces: new Map(), spent: new Map() },
    ]
  }

  /** Begins to make blocks. */
  start(): void {
    const { random } = this.#world
    const again = () => {
      this.#world.after(this.#terms.blockMs * (0.5 + random.next()), () => {
        again()
        this.turn()
      })
    }
    again()
  }

  get head(): SimBlock {
    return this.blocks.at(-1)!
  }

  get isDown(): boolean {
    return this.#world.now() < this.#downUntil && !this.#world.faults.healing
  }

  block(number: number, blocks: readonly SimBlock[] = this.blocks): SimBlock | undefined {
    const block = blocks[number - blocks[0]!.number]
    return block?.number === number ? block : undefined
  }

  /** What a node that is asked now takes for the chain: now and then without its last block, or as it was. */
  seen(): Seen {
    const { blocks } = this
    const late = this.#chance(FAULTS.late) && blocks.length > 1
    const former = this.troubles?.former()
    if (former) return { blocks: former, head: former.at(-1)! }
    return { blocks, head: late ? blocks.at(-2)! : this.head }
  }

  nonceOf(sender: Address, block: SimBlock = this.head): number {
    return block.nonces.get(sender) ?? 0
  }

  /** With what waits in the pool, as far as it follows without a gap. */
  pendingNonceOf(sender: Address, block: SimBlock = this.head): number {
    let nonce = this.nonceOf(sender, block)
    while (this.pool.some((each) => each.sender === sender && each.nonce === nonce)) nonce++
    return nonce
  }

  /** Calls after each change of the head. */
  onBlock(call: () => void): () => void {
    this.#listeners.add(call)
    return () => {
      this.#listeners.delete(call)
    }
  }

  /** Somebody outside of the service sends a transaction; it is mined sooner or later. */
  act(sender: Address, call: Call): Hex32 {
    const hash = hashOf(`${sender} ${++this.#count}`)
    this.pool.push({ hash, sender, nonce: undefined, maxFeeWei: 2n ** 64n, call })
    return hash
  }

  /**
   * Somebody else who has the key of `sender` sends a transaction: at the next nonce, in place of what
   * waits there.
   */
  intrude(sender: Address, call: Call): void {
    const hash = hashOf(`intruder ${sender} ${++this.#count}`)
    const nonce = this.nonceOf(sender)
    const maxFeeWei = this.head.baseFeeWei * 100n
    const gas = INTRUDER_GAS
    if (!this.canPay(sender, gas * maxFeeWei)) return
    this.pool = this.pool.filter((each) => each.sender !== sender || each.nonce !== nonce)
    this.pool.push({ hash, sender, nonce, maxFeeWei, gas, call })
    this.note(`takes ${short(hash)} ${call.type}, nonce ${nonce}, of another sender with a key`)
  }

  /** From now on the sender holds so much of the chain's coin; undefined: enough for anything. */
  holdCoin(sender: Address, wei: bigint | undefined): void {
    this.#purses.hold(sender, wei, this.head.spent)
    this.note(`${sender} holds ${wei ?? 'plenty of'} wei`)
  }

  /** Undefined: enough for anything. */
  coinOf(sender: Address, block: SimBlock = this.head): bigint | undefined {
    return this.#purses.left(sender, block.spent)
  }

  canPay(sender: Address, wei: bigint, spent: Spent = this.head.spent): boolean {
    return this.#purses.canPay(sender, wei, spent)
  }

  /** From now on each item costs so many times what it costs usually. */
  chargeGas(times: number): void {
    this.#gasTimes = times
    this.note(`asks ${times} times the gas for an item`)
  }

  gasOf(call: Call): bigint {
    return gasUsed(call, this.#gasTimes)
  }

  /** Tries a call as of the next block. @returns the error's name */
  tryOut(sender: Address, call: Call, block: SimBlock = this.head): string | undefined {
    const now = Math.max(block.at, seconds(this.#world))
    const outcome = execute(new Scene(block.state.fork(), this.contract, now), sender, call)
    return outcome instanceof Revert ? outcome.message : undefined
  }

  /** Where a transaction was included, if it was. */
  find(
    hash: Hex32,
    { blocks, head }: Seen = this,
  ): { block: SimBlock; included: Included } | undefined {
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = blocks[i]!
      if (block.number > head.number) continue
      const included = block.included.find(({ transaction }) => transaction.hash === hash)
      if (included) return { block, included }
    }
    return undefined
  }

  /** Also in a block that a reorg has thrown away. */
  everMined(hash: Hex32): Transaction | undefined {
    for (const { included } of [...this.blocks, ...this.orphans]) {
      const found = included.find(({ transaction }) => transaction.hash === hash)
      if (found) return found.transaction
    }
    return undefined
  }

  /** Into the life's history. */
  note(what: string): void {
    this.#world.history.add('chain', what)
  }

  /** Makes one block now of all that waits, whatever the troubles. For who begins a world. */
  mine(): SimBlock {
    const block = this.#extend(this.pool)
    this.#firstBlocks = this.blocks.length
    this.#tell()
    return block
  }

  /* BLOCKS */

  /** Makes the next block, or whatever befalls the chain instead. */
  turn(): void {
    const { random, faults } = this.#world
    if (faults.healing) this.#dearBlocks = 0
    if (this.#chance(FAULTS.outage)) this.#goDown(random.between(500, OUTAGE_MS_MAX))
    if (this.#chance(FAULTS.dear) && this.#dearBlocks === 0) {
      this.#dearBlocks = random.between(1, DEAR_BLOCKS_MAX)
      this.#dearTimes = BigInt(random.between(3, 30))
    }
    if (this.#dearBlocks > 0) this.#dearBlocks--
    this.pool = this.pool.filter((each) => !this.#isDropped(each))
    if (this.#chance(FAULTS.reorg)) this.#reorganize()
    else this.#extend(this.pool.filter(() => !this.#chance(FAULTS.passedBy)))
    this.#tell()
  }

  #isDropped({ hash, sender, nonce, ...offer }: Transaction): boolean {
    if (nonce === undefined) return false
    const isPaid = this.canPay(sender, mostOf(offer))
    if (!this.#chance(isPaid ? FAULTS.dropped : FAULTS.unpaidForgotten)) return false
    this.#world.history.add('chain', `forgets ${short(hash)}`)
    return true
  }

  /** The nodes agree on another end of the chain, mostly a longer one. */
  #reorganize(): void {
    const { random, history } = this.#world
    const most = this.blocks.length - this.#firstBlocks
    const depth = Math.min(random.between(1, REORG_BLOCKS_MAX), most)
    if (depth <= 0) return
    const gone = this.blocks.splice(-depth)
    this.orphans.push(...gone)
    const back = gone.flatMap(({ included }) => included.map(({ transaction }) => transaction))
    const kept = back.filter(
      ({ nonce }) => nonce === undefined || !this.#chance(FAULTS.lostInReorg),
    )
    history.add('chain', `goes back to block ${this.head.number}, ${depth} blocks are gone`)
    // Who makes the other branch has heard of the lanes' in another order. Deposits come first again: a
    // lock before its deposit finds no credits, and its answer is free.
    const lanes = shuffled(kept.filter(isOfLane), random)
    this.pool = [...kept.filter((each) => !isOfLane(each)), ...lanes, ...this.pool]
    if (this.#chance(FAULTS.goneBack)) return
    for (let i = 0; i <= depth; i++) {
      this.#extend(this.pool.filter(() => !this.#chance(0.3)))
    }
  }

  #extend(ready: readonly Transaction[]): SimBlock {
    const parent = this.head
    const number = parent.number + 1
    const at = Math.max(parent.at, seconds(this.#world))
    const baseFeeWei = this.#terms.baseFeeWei * (this.#dearBlocks > 0 ? this.#dearTimes : 1n)
    let state = parent.state
    const nonces = new Map(parent.nonces)
    const spent = new Map(parent.spent)
    const included: Included[] = []
    let logs = 0
    const isPaid = (each: Transaction) => this.canPay(each.sender, mostOf(each), spent)
    for (const transaction of inOrder(ready, { nonces, baseFeeWei, isPaid })) {
      const { sender, call, gas } = transaction
      const next = state.fork()
      const scene = new Scene(next, this.contract, at)
      const used = this.gasOf(call)
      const runsOut = gas !== undefined && used > gas
      const outcome = runsOut ? new Revert('OutOfGas') : execute(scene, sender, call)
      if (gas !== undefined) {
        spent.set(sender, (spent.get(sender) ?? 0n) + (runsOut ? gas : used) * baseFeeWei)
      }
      const reverted = outcome instanceof Revert
      if (!reverted) state = next
      const placed = reverted ? [] : outcome.map((log) => ({ ...log, logIndex: logs++ }))
      const error = reverted ? outcome.message : undefined
      included.push({ transaction, error, logs: placed })
    }
    const hash = hashOf(`${parent.hash} ${number} ${++this.#count}`)
    const block = { number, hash, parentHash: parent.hash, at, baseFeeWei }
    this.blocks.push({ ...block, included, state, nonces, spent })
    this.pool = this.pool.filter((each) => !isDone(each, included, nonces))
    this.#tellHistory(number, included)
    return this.head
  }

  #tellHistory(number: number, included: readonly Included[]): void {
    for (const { transaction, error, logs } of included) {
      const told = error ?? logs.map(wordsOf).join(', ')
      const { call, hash } = transaction
      this.#world.history.add('chain', `block ${number}: ${short(hash)} ${call.type}: ${told}`)
    }
  }

  #goDown(span: number): void {
    this.#downUntil = this.#world.now() + span
    this.#world.history.add('chain', `answers to nobody for ${span} ms`)
  }

  #tell(): void {
    for (const call of [...this.#listeners]) call()
  }

  #chance(p: number): boolean {
    return !this.#world.faults.healing && this.#world.random.chance(p * this.#terms.trouble)
  }
}

const isOfLane = ({ nonce }: Transaction): boolean => nonce !== undefined

const shuffled = <T>(all: readonly T[], random: Random): readonly T[] =>
  all
    .map((one) => ({ one, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one)

function wordsOf(log: Log): string {
  if (log.name !== 'fact') return log.name
  const { fact } = log
  const about = 'jobId' in fact ? fact.jobId : 'wallet' in fact ? fact.wallet : ''
  return `${fact.type} ${about}${fact.type === 'skipped' ? ` ${fact.reason}` : ''}`
}

const seconds = (world: World): number => Math.floor(world.now() / 1_000)
export const short = (hash: Hex): string => hash.slice(0, 10)
const hashOf = (text: string): Hex32 =>
  toHex32(`0x${createHash('sha256').update(text).digest('hex')}`)
