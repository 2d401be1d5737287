import { createHash } from 'node:crypto'
import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import { type Address, type Hex32, type JobId, toHex32 } from '../../../src/domain/ids.ts'
import type { LaneIntent } from '../../../src/messages/lane.ts'
import type { Lane } from '../../../src/messages/subjects.ts'
import {
  type Batch,
  BatchTooLarge,
  type Block,
  type ChainFact,
  ChainUnavailable,
  type Ends,
  type EscrowReader,
  type EscrowWriter,
  LaneConflict,
  NonceGap,
  type Offer,
  type Receipt,
  RoleMissing,
  type SignedTransaction,
} from '../../../src/ports/escrow.ts'

type JobState = 'locked' | 'settled' | 'refunded' | 'disputed' | 'dispute_resolved'

/**
 * JobEscrow in memory, with one block a transaction. Its rules are the contract's; what a test
 * wants to go wrong is set from outside.
 */
export class FakeChain implements EscrowReader, EscrowWriter {
  /** Answers to nobody. */
  down = false
  /** Has not heard of the last blocks when it is asked what became of a job. */
  behind = false
  /** Takes transactions, and includes them only when called. */
  held: (() => void)[] | undefined
  /** Called for each transaction that is sent, before all else. */
  onSend: () => void = () => {}
  /** Called for each transaction that is sent. @returns whether it is included */
  stuck: (() => Promise<boolean>) | undefined
  /** So often a transaction can be replaced before the cap on fees is reached. */
  replacements = Number.POSITIVE_INFINITY
  /** Items that one transaction may ask gas for, as the lane is told. */
  fits = 1_000
  /** Items that the node has room for, which the lane may not know yet. */
  roomFor = 1_000
  /** A transaction that holds such an item reverts as a whole. */
  reverts: (intent: LaneIntent) => boolean = () => false
  /** The lanes' keys have none: every transaction reverts. */
  roleless = false
  /** Wallets that cannot pay. */
  readonly poor = new Set<Address>()
  /** Locks are passed over, whoever asks. */
  paused = false
  /** Jobs whose settlement does not fit into what may be charged in this hour. */
  readonly capped = new Set<JobId>()
  /** Jobs that were settled too long ago to be disputed. */
  readonly old = new Set<JobId>()
  /** Every batch that was included, in order. */
  readonly included: Batch[] = []
  /** The bytes of every call of `send`. */
  readonly sent: string[] = []
  /** Transactions that were signed: a batch of the same nonce is signed anew as other bytes. */
  signed = 0
  /** Calls of `jobFacts`. */
  asked = 0

  readonly #known = new Map<string, { lane: Lane; nonce: number; batch: Batch }>()
  readonly #receipts = new Map<string, Receipt>()
  readonly #jobs = new Map<JobId, JobState>()
  readonly #workers = new Map<Address, number>()
  readonly #calls = new Set<() => void>()
  #nonces: Record<Lane, number> = { lock: 0, settle: 0 }
  #blocks: Block[] = [{ number: 0, hash: hashOf('genesis'), parentHash: hashOf('nothing') }]
  #facts: ChainFact[] = []
  #fork = 0

  async nonce(lane: Lane): Promise<number> {
    this.#answer()
    return this.#nonces[lane]
  }

  readonly isOwn = (): boolean => true

  itemsMax(): number {
    return this.fits
  }

  async sign(lane: Lane, nonce: number, batch: Batch): Promise<SignedTransaction> {
    this.#answer()
    if (batch.items.length > this.fits) throw new BatchTooLarge(`${this.fits} items fit`)
    return this.#sign(lane, nonce, batch)
  }

  async replace(lane: Lane, { raw, nonce }: SignedTransaction) {
    this.#answer()
    if (this.replacements <= 0) return 'capped' as const
    this.replacements--
    return this.#sign(lane, nonce, this.#known.get(raw)!.batch)
  }

  #sign(lane: Lane, nonce: number, batch: Batch): SignedTransaction {
    const raw = `0x${Buffer.from(`${lane}.${nonce}.${++this.signed}`).toString('hex')}` as const
    this.#known.set(raw, { lane, nonce, batch })
    return { raw, hash: hashOf(raw), nonce }
  }

  async send(lane: Lane, { transaction, earlier }: Offer, broadcast: () => void) {
    const { raw, hash, nonce } = transaction
    this.#answer()
    this.sent.push(raw)
    this.onSend()
    const known = this.#known.get(raw)
    if (!known || known.lane !== lane) throw new Error('never signed')
    const before = this.#receiptOf([hash, ...earlier])
    if (!before && this.#nonces[lane] > nonce) throw new LaneConflict(`nonce ${nonce} is spent`)
    if (!before && this.#nonces[lane] < nonce) throw new NonceGap(`nonce ${nonce} is ahead`)
    if (!before && known.batch.items.length > this.roomFor) throw new BatchTooLarge('no room')
    broadcast()
    if (before) return before
    if (this.stuck && !(await this.stuck())) {
      return this.#receiptOf([hash, ...earlier]) ?? ('stuck' as const)
    }
    const { held } = this
    if (held) await new Promise<void>((resolve) => held.push(resolve))
    this.#answer()
    return this.#include(lane, raw, hash, known.batch)
  }

  async requireRole(lane: Lane): Promise<void> {
    this.#answer()
    if (this.roleless) throw new RoleMissing(`the key of ${lane} may do nothing`)
  }

  async isIncluded({ transaction, earlier }: Offer): Promise<boolean> {
    this.#answer()
    return this.#receiptOf([transaction.hash, ...earlier]) !== undefined
  }

  /** Includes one that was sent before, whatever replaced it since. */
  include(raw: string): void {
    const { lane, batch } = this.#known.get(raw)!
    this.#include(lane, raw, hashOf(raw), batch)
  }

  #receiptOf(hashes: readonly Hex32[]): Receipt | undefined {
    return [...this.#receipts.values()].find(({ hash }) => hashes.includes(hash))
  }

  async head(): Promise<Block> {
    this.#answer()
    return this.#blocks.at(-1)!
  }

  async block(number: number): Promise<Block | undefined> {
    this.#answer()
    return this.#blocks[number]
  }

  async facts(from: number, to: number, ends?: Ends): Promise<readonly ChainFact[]> {
    this.#answer()
    const isOther = (number: number, hash: string | undefined) =>
      hash !== undefined && this.#blocks[number]?.hash !== hash
    if (isOther(from - 1, ends?.after) || isOther(to, ends?.end))
      throw new ChainUnavailable('these are blocks of another branch')
    return this.#facts.filter(({ block }) => block >= from && block <= to)
  }

  async jobFacts(jobId: JobId): Promise<readonly ChainFact[]> {
    this.#answer()
    this.asked++
    if (this.behind) return []
    return this.#facts.filter((fact) => 'jobId' in fact && fact.jobId === jobId)
  }

  async jobFactsAt(_block: number, jobId: JobId): Promise<readonly ChainFact[] | undefined> {
    return this.behind ? undefined : this.jobFacts(jobId)
  }

  async account() {
    this.#answer()
    return {
      available: NO_CREDITS,
      locked: NO_CREDITS,
      lastTopupAt: null,
      block: this.#blocks.length - 1,
      blockHash: this.#blocks.at(-1)!.hash,
    }
  }

  async workerId(signer: Address): Promise<number | undefined> {
    this.#answer()
    return this.#workers.get(signer)
  }

  async registrationError(): Promise<undefined> {
    this.#answer()
  }

  async deactivated(): Promise<readonly Address[]> {
    this.#answer()
    return []
  }

  onBlock(call: () => void): () => void {
    this.#calls.add(call)
    return () => {
      this.#calls.delete(call)
    }
  }

  /** Mines a block with these facts. */
  mine(make: (at: Pick<ChainFact, 'tx' | 'block' | 'blockHash'>) => readonly ChainFact[]): Block {
    const parent = this.#blocks.at(-1)!
    const number = parent.number + 1
    const hash = hashOf(`${parent.hash} ${number} ${this.#fork}`)
    const block = { number, hash, parentHash: parent.hash }
    this.#blocks.push(block)
    this.#facts.push(...make({ tx: hashOf(`tx ${hash}`), block: number, blockHash: hash }))
    for (const call of this.#calls) setImmediate(call)
    return block
  }

  /** What a wallet does by itself: opens the dispute of its own settled job. */
  openDispute(jobId: JobId, wallet: Address, claimedHash: Hex32): void {
    this.#jobs.set(jobId, 'disputed')
    this.mine((at) => [{ ...at, logIndex: 0, type: 'disputed', jobId, wallet, claimedHash }])
  }

  /** The arbiter's word. */
  resolveDispute(jobId: JobId, wallet: Address, upheld: boolean): void {
    this.#jobs.set(jobId, 'dispute_resolved')
    const verdict = { upheld, returned: upheld ? toCredits(8) : NO_CREDITS }
    this.mine((at) => [{ ...at, logIndex: 0, type: 'dispute_resolved', jobId, wallet, ...verdict }])
  }

  /** Drops the last blocks with all that happened in them, as a reorg or a restart would. */
  goBack(toBlock: number): void {
    this.#fork++
    this.#blocks.length = toBlock + 1
    const gone = this.#facts.filter(({ block }) => block > toBlock)
    this.#facts = this.#facts.filter(({ block }) => block <= toBlock)
    for (const fact of gone) {
      if ('jobId' in fact) this.#jobs.delete(fact.jobId)
      if (fact.type === 'worker_registered') this.#workers.delete(fact.signer)
    }
    for (const fact of this.#facts) {
      if ('jobId' in fact && fact.type !== 'skipped') this.#jobs.set(fact.jobId, fact.type)
    }
    for (const [raw, { block }] of this.#receipts) {
      if (block <= toBlock) continue
      this.#receipts.delete(raw)
      const { lane, nonce } = this.#known.get(raw)!
      this.#nonces[lane] = Math.min(this.#nonces[lane], nonce)
    }
  }

  /** As a reorg after which the same transactions come back before the locks, and end none of them. */
  undoEnds(): void {
    this.#facts = this.#facts.filter(({ type }) => type === 'locked')
    for (const fact of this.#facts) if ('jobId' in fact) this.#jobs.set(fact.jobId, 'locked')
  }

  /** As a node that keeps receipts for a while only. */
  forgetReceipts(): void {
    this.#receipts.clear()
  }

  /** Another program uses the lane's key. */
  stealNonce(lane: Lane): void {
    this.#nonces[lane]++
    this.mine(() => [])
  }

  /** Includes what is held, in order, and holds nothing from now on. */
  release(): void {
    const held = this.held ?? []
    this.held = undefined
    for (const include of held) include()
  }

  #answer(): void {
    if (this.down) throw new ChainUnavailable('the chain is down')
  }

  #include(lane: Lane, raw: string, hash: Hex32, batch: Batch): Receipt {
    this.#nonces[lane]++
    const goesWrong = (item: LaneIntent) => this.roleless || this.reverts(item)
    const succeeded = batch.type === 'register' || !batch.items.some(goesWrong)
    if (succeeded) this.included.push(batch)
    let facts: ChainFact[] = []
    const block = this.mine(({ block, blockHash }) => {
      if (succeeded) {
        facts = batch.items.map((item, logIndex) => ({
          ...this.#happen(item),
          ...{ tx: hash, block, blockHash, logIndex },
        })) as ChainFact[]
      }
      return facts
    })
    const receipt = { hash, block: block.number, succeeded, facts }
    this.#receipts.set(raw, receipt)
    return receipt
  }

  #happen(item: Batch['items'][number]) {
    if ('payee' in item) {
      const workerId = this.#workers.size + 1
      this.#workers.set(item.signer, workerId)
      return { type: 'worker_registered', workerId, signer: item.signer, payee: item.payee }
    }
    const { jobId } = item
    const reason = this.#refusal(item)
    if (reason) return { type: 'skipped', jobId, reason }
    const fact = FACTS[item.type]
    this.#jobs.set(jobId, fact)
    const claimed = item.type === 'dispute' ? { claimedHash: item.claimedHash } : {}
    const credits = { credits: NO_CREDITS, charged: toCredits(8), returned: NO_CREDITS }
    return { type: fact, jobId, ...credits, ...claimed }
  }

  #refusal(item: LaneIntent): string | undefined {
    const state = this.#jobs.get(item.jobId)
    if (item.type === 'lock') {
      if (this.paused) return 'Paused'
      if (state) return 'JobIdUsed'
      return this.poor.has(item.wallet) ? 'InsufficientCredits' : undefined
    }
    if (item.type === 'dispute') {
      if (state !== 'settled') return 'NotSettled'
      return this.old.has(item.jobId) ? 'DisputeWindowOver' : undefined
    }
    if (state !== 'locked') return 'NotLocked'
    if (item.type === 'settle' && this.capped.has(item.jobId)) return 'SettleCapReached'
    return item.type === 'settle' && item.workerId === 0 ? 'UnknownWorker' : undefined
  }
}

const FACTS = {
  lock: 'locked',
  settle: 'settled',
  refund: 'refunded',
  dispute: 'disputed',
} as const satisfies Record<LaneIntent['type'], JobState>

export const hashOf = (text: string): Hex32 =>
  toHex32(`0x${createHash('sha256').update(text).digest('hex')}`)
