import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { DurationMs } from '../../../src/domain/time.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { SimBlock } from '../chain/blocks.ts'
import type { Call } from '../chain/calls.ts'
import type { SimChain } from '../chain/chain.ts'
import type { SimRedis } from '../redis/server.ts'
import type { World } from '../world.ts'
import { Books } from './books.ts'
import { judgeJob, judgeTime } from './job-end.ts'
import { type LedgerPage, readPages } from './ledger-page.ts'

const UNKNOWN_WORKER: ReadonlySet<string> = new Set(['UnknownWorker', 'BadSignature'])
const KEEPER_MARGIN_SECONDS = 60
/** What the sweeper looks through. */
const OPEN_RESERVATIONS = 'open'
/** Among the reservations of a wallet. */
const VOUCHER = 'withdrawal'

interface Audited {
  readonly chain: SimChain
  readonly redis: SimRedis
  /** Of each job. */
  readonly jobWindowMs: DurationMs
  /** Jobs are answered before their locks are in a block. */
  readonly isEager: boolean
}

/**
 * Follows the money through a life: on the chain after each block, in the ledger after each of its
 * changes, and of each job in the end.
 */
export class Auditor {
  /** Redis forgot: what was reserved and in no journal yet is reserved no more, and may be reserved twice. */
  memoryWasLost = false
  readonly #world: World
  readonly #chain: SimChain
  readonly #redis: SimRedis
  readonly #jobWindowMs: DurationMs
  readonly #isEager: boolean
  #books = new Books()
  #seen: SimBlock[] = []
  #writes = 0
  #told = 0
  /** Whose settlement found no such worker. */
  readonly #unknownWorkers = new Set<JobId>()
  /** Whose own limit has refused a lock. */
  readonly #limited = new Set<Address>()
  #workersHaveLeft = false
  /** Another sender with its key has taken a nonce of the lock lane. */
  #lockKeyIsShared = false
  /** The escrow was paused, or the lock lane's key without its role. */
  #locksWereShut = false

  constructor(world: World, { chain, redis, jobWindowMs, isEager }: Audited) {
    this.#world = world
    this.#chain = chain
    this.#redis = redis
    this.#jobWindowMs = jobWindowMs
    this.#isEager = isEager
  }

  /** After each step of the world; where nothing has moved it costs nothing. */
  look(): void {
    if (this.#chain.head !== this.#seen.at(-1)) this.#follow()
    if (this.#redis.writes !== this.#writes) {
      this.#writes = this.#redis.writes
      for (const page of readPages(this.#redis)) this.#checkPage(page)
    }
    const { flaws } = this.#books
    for (; this.#told < flaws.length; this.#told++) this.#world.fail(flaws[this.#told]!)
  }

  /** What is still to happen before the books can be closed. */
  unrest(): readonly string[] {
    const wants: string[] = []
    for (const [jobId, { status }] of this.#books.jobs) {
      if (status === 'locked') wants.push(`${jobId} is locked on chain`)
    }
    wants.push(...this.#overdueDisputes())
    for (const page of readPages(this.#redis)) {
      const { wallet, available, locked, reservations } = page
      // A withdrawal may lie in a balance that was read anew: then time alone ends this, more than a life has.
      const isReadAnew = this.memoryWasLost || this.#chain.orphans.length > 0
      if (reservations.has(VOUCHER) && !isReadAnew) {
        wants.push(`${wallet} has credits set aside for a voucher`)
      }
      const book = this.#books.wallet(wallet)
      if (available !== book.available || locked !== book.locked) {
        const has = `${book.available}+${book.locked}`
        wants.push(`the ledger has ${available}+${locked} of ${wallet}, the chain ${has}`)
      }
    }
    return wants
  }

  /** Those that the keeper ends, if nobody has decided them. */
  #overdueDisputes(): readonly string[] {
    const { head, contract } = this.#chain
    const before = this.#world.now() / 1_000 - contract.arbitrationSeconds - KEEPER_MARGIN_SECONDS
    return [...head.state.jobs].flatMap(([jobId, { status, since }]) =>
      status === 'Disputed' && since < before ? [`nobody has decided about ${jobId}`] : [],
    )
  }

  /**
   * Whether who was answered may pay nothing after all: a reorg has lost the lock, which came back too late
   * or not at all; or others than the service's own lanes took it back; or its worker has left; or a reorg has
   * lost the worker's number, and another sender with the lane's key kept the registration from coming back; or
   * it was answered before its lock was in a block, and the escrow was shut or the credits had gone.
   */
  wasUndone({ id, wallet, escrowTx, refundTx }: JobView): boolean {
    const lostLock = escrowTx === null || refundTx !== null
    if (lostLock && this.#locksMayBeLost(wallet)) return true
    const mayBeRefused = this.#locksWereShut || this.#limited.has(wallet) || !this.isSure(wallet)
    if (this.#isEager && lostLock && mayBeRefused) return true
    const mayBeUnknown = this.#workersHaveLeft || this.#hasLostRegistrations()
    const lostNumber = this.#unknownWorkers.has(id) && mayBeUnknown
    return lostNumber || this.#books.jobs.get(id)?.takenBack === true
  }

  /** Whether what the service has promised to the wallet holds in any case. */
  isSure(wallet: Address): boolean {
    const { hasLeft } = this.#books.wallet(wallet)
    return !hasLeft && !this.memoryWasLost && this.#chain.orphans.length === 0
  }

  /** All that it ever paid in; undefined: what it was told it has may not have been so. */
  depositedBy(wallet: Address): bigint | undefined {
    return this.isSure(wallet) ? this.#books.wallet(wallet).deposited : undefined
  }

  /** Whether a lock of the wallet may have found its credits gone, or not there yet, after a reorg. */
  #locksMayBeLost(wallet: Address): boolean {
    const { orphans } = this.#chain
    const calls = orphans.flatMap(({ included }) =>
      included.map(({ transaction: { call } }) => call),
    )
    const isLate = calls.some((call) => this.#brings(call, wallet))
    const { hasLeft, hasWithdrawn } = this.#books.wallet(wallet)
    // A lock that lost its place to another sender comes back when its job asks, behind those of other jobs.
    const isLimited = this.#limited.has(wallet)
    const isOvertaken = hasLeft || hasWithdrawn || isLimited || this.#lockKeyIsShared
    return isLate || (orphans.length > 0 && (isOvertaken || this.#locksWereShut))
  }

  #hasLostRegistrations(): boolean {
    return this.#chain.orphans.some(({ included }) =>
      included.some(({ transaction: { call } }) => call.type === 'register'),
    )
  }

  /** Whether the wallet could spend more after it than before. */
  #brings(call: Call, wallet: Address): boolean {
    const isOfWallet = (jobId: JobId) => this.#books.jobs.get(jobId)?.wallet === wallet
    switch (call.type) {
      case 'deposit':
      case 'sweep':
        return call.wallet === wallet
      case 'settleBatch':
        return call.items.some(({ jobId }) => isOfWallet(jobId))
      case 'refundBatch':
        return call.jobIds.some(isOfWallet)
      default:
        return false
    }
  }

  /** Once everything rests: each job against the chain, and nothing kept back for one that ended. */
  judge(jobs: readonly JobView[]): readonly string[] {
    const known = new Map<JobId, JobView>(jobs.map((job) => [job.id, job]))
    const flaws = jobs.flatMap((job) => [
      ...judgeTime(job, this.#jobWindowMs),
      ...judgeJob(job, this.#books.jobs.get(job.id), this.#books.workers),
    ])
    for (const jobId of this.#books.jobs.keys()) {
      if (!known.has(jobId)) flaws.push(`${jobId} is on chain, and in no journal`)
    }
    return [...flaws, ...this.held()]
  }

  /**
   * What a reorg took of what jobs count on: it is sent again, or refused, and the job told. And a dispute that
   * the job has not heard of yet: its wallet may open one at any time.
   */
  lost(jobs: readonly JobView[]): readonly string[] {
    const isLost = ({ id, status, settlementTx, disputeTx }: JobView) => {
      const book = this.#books.jobs.get(id)
      if (!book) return settlementTx !== null
      if (book.disputeTx && book.disputeTx !== disputeTx) return true
      return status === 'disputed' && book.status === 'settled'
    }
    return jobs.filter(isLost).map(({ id, status }) => `${id} is ${status}, and not so on chain`)
  }

  /** What the ledger keeps back for jobs, once all have ended: also for those that never began. */
  held(): readonly string[] {
    const credits = readPages(this.#redis).flatMap(({ wallet, reservations, locks }) =>
      [...reservations.keys(), ...locks.keys()]
        .filter((name) => name !== VOUCHER)
        .map((jobId) => `${wallet}: credits are still held for ${jobId}`),
    )
    // Whoever sweeps would look at it again and again, as at one whose end Redis has forgotten.
    if (this.memoryWasLost) return credits
    const open = [...this.#redis.data.sorted(OPEN_RESERVATIONS).keys()]
    return [...credits, ...open.map((job) => `${job} is still among the open reservations`)]
  }

  #follow(): void {
    const { blocks } = this.#chain
    let common = Math.min(this.#seen.length, blocks.length)
    while (common > 0 && this.#seen[common - 1] !== blocks[common - 1]) common--
    if (common < this.#seen.length) {
      this.#seen = []
      this.#books = new Books()
      this.#told = 0
      common = 0
    }
    for (const block of blocks.slice(common)) {
      this.#seen.push(block)
      this.#books.take(block)
      this.#checkSkipped(block)
      if (block.included.length > 0) this.#books.compare(block, this.#chain.contract.escrow)
    }
  }

  /** What the ledger has admitted finds its credits. */
  #checkSkipped({ included }: SimBlock): void {
    for (const { logs, transaction, error } of included) {
      const { call, sender } = transaction
      if (call.type === 'lockBatch' && error !== undefined) this.#locksWereShut = true
      const isOfLocker = sender === this.#chain.contract.locker
      if (isOfLocker && call.type !== 'lockBatch') this.#lockKeyIsShared = true
      for (const log of logs) {
        if (log.name === 'WorkerDeactivated') this.#workersHaveLeft = true
        if (log.name !== 'fact' || log.fact.type !== 'skipped') continue
        const { jobId, reason } = log.fact
        if (UNKNOWN_WORKER.has(reason)) this.#unknownWorkers.add(jobId)
        if (call.type !== 'lockBatch') continue
        if (reason === 'Paused') this.#locksWereShut = true
        const { wallet } = call.items.find((item) => item.jobId === jobId)!
        if (reason === 'SpendLimitReached') this.#limited.add(wallet)
        if (reason === 'InsufficientCredits' && this.isSure(wallet)) {
          this.#world.fail(`${jobId} was admitted, and finds no credits of ${wallet}`)
        }
      }
    }
  }

  #checkPage(page: LedgerPage): void {
    const { wallet, available, locked, reserved, reservations } = page
    const demand = (holds: boolean, flaw: string) => {
      if (!holds) this.#world.fail(`ledger of ${wallet}: ${flaw}`)
    }
    const held = [...reservations.values()].reduce((sum, credits) => sum + credits, 0n)
    demand(reserved === held, `${reserved} are reserved, for jobs ${held}`)
    // After a reorg it stays wrong until the watcher has seen that, and forgets it.
    if (this.#chain.orphans.length > 0) return
    const right = this.#placeOf(page)
    demand(
      available === right.available && locked === right.locked,
      `${available}+${locked} at ${page.block}.${page.logIndex}, on chain ` +
        `${right.available}+${right.locked}`,
    )
    if (this.#books.wallet(wallet as Address).hasLeft || this.memoryWasLost) return
    // One that is behind may show credits as locked that are back, and reserved once more.
    if (right !== this.#books.places.get(wallet)?.at(-1)) return
    demand(available >= reserved, `${reserved} are reserved of ${available}`)
  }

  #placeOf({ wallet, block, logIndex }: LedgerPage) {
    const places = this.#books.places.get(wallet) ?? []
    const found = places.findLast(
      (place) => place.block < block || (place.block === block && place.logIndex <= logIndex),
    )
    return found ?? { available: 0n, locked: 0n }
  }
}
