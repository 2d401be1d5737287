import { type TokenUnits, toCredits } from '../../../src/domain/credits.ts'
import { type Address, type JobId, toAddress } from '../../../src/domain/ids.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type {
  Earner,
  Earnings,
  KeeperBlock,
  KeeperCall,
  KeeperEvent,
  KeeperOutcome,
  KeeperReader,
  KeeperTerms,
  KeeperWriter,
} from '../../../src/ports/keeper.ts'
import { hashOf } from './fake-chain.ts'

export const terms: KeeperTerms = {
  expirySeconds: 180,
  disputeSeconds: 600,
  arbitrationSeconds: 86_400,
  minimumCredits: toCredits(100),
}

/** A block a second. */
export const timeOf = (block: number): number => 1_800_000_000 + block

/** A chain as the keeper sees it. Blocks hold what a test has told them; calls end as it wants. */
export class KeeperChain implements KeeperReader, KeeperWriter {
  readonly address = toAddress(`0x${'9'.repeat(40)}`)
  readonly tokens = new Map<Address, bigint>()
  readonly earnings = new Map<Earner, Earnings>()
  /** By worker, in units of RCompute. */
  readonly stakes = new Map<number, bigint>()
  readonly punished = new Set<string>()
  /** In order. */
  readonly calls: KeeperCall[] = []
  outcome: (call: KeeperCall) => KeeperOutcome = () => ({ type: 'done', tx: hashOf('done') })
  /** Ranges of `events` that were read. */
  readonly ranges: [number, number][] = []
  transfersFail = false

  #events: KeeperEvent[] = []
  #transfers: { readonly block: number; readonly to: Address }[] = []
  #fork = ''
  #forkedFrom = 0
  #head = 0

  /** Mines up to block `number`, with these events in their blocks. */
  mine(number: number, ...events: KeeperEvent[]): KeeperBlock {
    this.#head = number
    this.#events.push(...events)
    return this.#block(number)
  }

  /** A plain transfer in the next block. */
  transfer(to: Address, units: bigint): void {
    this.tokens.set(to, (this.tokens.get(to) ?? 0n) + units)
    this.#transfers.push({ block: this.#head + 1, to })
    this.mine(this.#head + 1)
  }

  /** Everything after `block` is gone. */
  goBack(block: number): void {
    this.#fork += '+'
    this.#forkedFrom = block + 1
    this.#head = block
    this.#events = this.#events.filter((event) => event.block <= block)
  }

  async terms() {
    return terms
  }
  async head() {
    return this.#block(this.#head)
  }
  async block(number: number) {
    return number <= this.#head ? this.#block(number) : undefined
  }
  async events(from: number, to: KeeperBlock) {
    this.ranges.push([from, to.number])
    return this.#events.filter(({ block }) => block >= from && block <= to.number)
  }
  async lockedBy(jobId: JobId, block: number) {
    const locked = this.#events.find((event) => event.type === 'locked' && event.jobId === jobId)
    return locked?.block === block ? hashOf(`locked ${jobId}`) : undefined
  }
  async arrivals(from: number, to: number, addresses: ReadonlySet<Address>) {
    if (this.transfersFail) throw new ChainUnavailable('eth_getLogs: the node does not answer')
    const found = this.#transfers.filter(({ block }) => block >= from && block <= to)
    return found.flatMap(({ to }) => (addresses.has(to) ? to : []))
  }
  async checkDepositAddresses() {}
  depositAddress(wallet: Address) {
    return toAddress(`0xde${wallet.slice(4)}`)
  }
  async tokensOf(address: Address) {
    return (this.tokens.get(address) ?? 0n) as TokenUnits
  }
  async earningsOf(earner: Earner) {
    const nothing = { total: 0n, claimable: 0n } as Earnings
    return this.earnings.get(earner) ?? nothing
  }
  async stakeOf(workerId: number, _block?: number) {
    return this.stakes.get(workerId) ?? 0n
  }
  async isPunished(workerId: number, jobId: JobId, _block?: number) {
    return this.punished.has(`${workerId} ${jobId}`)
  }
  async perform(call: KeeperCall) {
    this.calls.push(call)
    const outcome = this.outcome(call)
    if (outcome.type === 'done' && call.type === 'sweep') {
      this.tokens.delete(this.depositAddress(call.wallet))
    }
    if (outcome.type === 'done' && call.type === 'prove_equivocation') {
      this.punished.add(`${call.workerId} ${call.jobId}`)
    }
    return outcome
  }

  #block(number: number): KeeperBlock {
    return {
      number,
      hash: this.#hash(number),
      parentHash: this.#hash(number - 1),
      at: timeOf(number),
    }
  }
  #hash(number: number) {
    return hashOf(`${number} ${number >= this.#forkedFrom ? this.#fork : ''}`)
  }
}
