import type { Address, Hex32, JobId } from '../../../src/domain/ids.ts'
import type { SimBlock, Transaction } from '../chain/blocks.ts'
import type { FactBody, Log, Shares } from '../chain/scene.ts'

/** What one wallet has, by the logs alone; in credits. */
export interface WalletBook {
  available: bigint
  locked: bigint
  thawing: bigint
  deposited: bigint
  paidOut: bigint
  /** Charged for its jobs, less what verdicts gave back. */
  charged: bigint
  /** It took credits out past the service: then others' promises to it may not hold. */
  hasLeft: boolean
  /** It took credits out with a voucher. */
  hasWithdrawn: boolean
}

export interface JobBook {
  readonly wallet: Address
  readonly lock: bigint
  readonly lockTx: Hex32
  status: 'locked' | 'settled' | 'refunded' | 'disputed' | 'upheld' | 'rejected'
  charged: bigint
  returned: bigint
  /** Refunded by `refundExpired`, which anyone may call. */
  takenBack: boolean
  endTx: Hex32 | undefined
  workerId: number
  outputHash: Hex32 | undefined
  outputTokens: number
  forWorker: bigint
  forTreasury: bigint
  claimedHash: Hex32 | undefined
  /** Which opened its dispute. */
  disputeTx: Hex32 | undefined
  verdictTx: Hex32 | undefined
}

/** After one log: what a ledger that has applied it must hold. */
export interface Place {
  readonly block: number
  readonly logIndex: number
  readonly available: bigint
  readonly locked: bigint
}

/** Of one credit, by the specification: 0.01 of a token with six decimals. */
const UNITS_PER_CREDIT = 10_000n
/** What of it is the worker's without a stake, and with one; of a hundred. */
const SHARES = [75n, 85n]

/**
 * The money of one chain, rebuilt from its logs with an arithmetic of its own. What does not add up is
 * a flaw.
 */
export class Books {
  readonly wallets = new Map<Address, WalletBook>()
  readonly jobs = new Map<JobId, JobBook>()
  readonly workers = new Map<number, Address>()
  readonly flaws: string[] = []
  readonly places = new Map<Address, Place[]>()
  /** Token units that left the escrow for workers, by number, and for the treasury. */
  readonly claimed = new Map<number | 'treasury', bigint>()

  take(block: SimBlock): void {
    for (const { transaction, logs } of block.included) {
      for (const log of logs) {
        this.#log(log, transaction)
        if (log.name === 'fact') this.#note(log.fact, block.number, log.logIndex)
      }
    }
  }

  wallet(address: Address): WalletBook {
    const found = this.wallets.get(address)
    if (found) return found
    const none = { available: 0n, locked: 0n, thawing: 0n, deposited: 0n, paidOut: 0n, charged: 0n }
    const made = { ...none, hasLeft: false, hasWithdrawn: false }
    this.wallets.set(address, made)
    return made
  }

  /** What the contracts hold and owe must follow from the logs. */
  compare({ state, number }: SimBlock, escrow: Address): void {
    let owed = 0n
    for (const [address, book] of this.wallets) {
      const { available, locked, thawing } = state.account(address)
      const sum = available + locked + thawing
      owed += sum * UNITS_PER_CREDIT
      this.#demand(
        available === book.available && locked === book.locked && thawing === book.thawing,
        `block ${number}: ${address} holds ${available}+${locked}+${thawing} on chain, ` +
          `${book.available}+${book.locked}+${book.thawing} by the logs`,
      )
      this.#demand(
        book.deposited === sum + book.paidOut + book.charged,
        `block ${number}: ${address} paid in ${book.deposited}, has ${sum}, ` +
          `took out ${book.paidOut} and was charged ${book.charged}`,
      )
    }
    let earned = 0n
    for (const { status, forWorker, forTreasury } of this.jobs.values()) {
      if (status !== 'upheld') earned += forWorker + forTreasury
    }
    for (const units of this.claimed.values()) earned -= units
    this.#demand(
      state.tokensOf(escrow) === owed + earned,
      `block ${number}: the escrow holds ${state.tokensOf(escrow)} units, owes ${owed + earned}`,
    )
  }

  #log(log: Log, transaction: Transaction): void {
    if (log.name === 'fact') this.#fact(log.fact, transaction, log.shares)
    else if (log.name === 'Claimed') {
      const { earner, units } = log
      this.claimed.set(earner, (this.claimed.get(earner) ?? 0n) + units)
    } else if (log.name === 'PaidOut') {
      const book = this.wallet(log.wallet)
      book.thawing -= log.credits
      book.paidOut += log.credits
    }
  }

  #fact(fact: FactBody, { hash: tx, call }: Transaction, shares: Shares | undefined): unknown {
    switch (fact.type) {
      case 'deposited': {
        const book = this.wallet(fact.wallet)
        book.available += fact.credits
        book.deposited += fact.credits
        return
      }
      case 'withdrawn':
      case 'thawing_started': {
        const book = this.wallet(fact.wallet)
        book.available -= fact.credits
        if (fact.type === 'withdrawn') {
          book.paidOut += fact.credits
          book.hasWithdrawn = true
        } else {
          book.thawing += fact.credits
          book.hasLeft = true
        }
        return
      }
      case 'thawing_cancelled': {
        const book = this.wallet(fact.wallet)
        book.thawing -= fact.credits
        book.available += fact.credits
        return
      }
      case 'locked':
        return this.#locked(fact, tx)
      case 'settled':
        return this.#settled(fact, tx, shares)
      case 'refunded':
        return this.#refunded(fact, tx, call.type === 'refundExpired')
      case 'disputed':
      case 'dispute_resolved':
        return this.#contested(fact, tx)
      case 'worker_registered':
        this.workers.set(fact.workerId, fact.signer)
        return
      default:
        return
    }
  }

  #locked({ jobId, wallet, credits }: Fact<'locked'>, tx: Hex32): void {
    this.#demand(!this.jobs.has(jobId), `${jobId} is locked twice`)
    const book = this.wallet(wallet)
    book.available -= credits
    book.locked += credits
    this.#demand(book.available >= 0n, `${wallet} locks more than it has, for ${jobId}`)
    this.jobs.set(jobId, {
      ...{ wallet, lock: credits, lockTx: tx, status: 'locked', charged: 0n, returned: 0n },
      ...{ endTx: undefined, workerId: 0, outputHash: undefined, outputTokens: 0 },
      takenBack: false,
      ...{ forWorker: 0n, forTreasury: 0n, claimedHash: undefined },
      ...{ disputeTx: undefined, verdictTx: undefined },
    })
  }

  #settled(fact: Fact<'settled'>, tx: Hex32, shares: Shares | undefined): void {
    const { jobId, wallet, charged, returned, workerId, outputHash } = fact
    const job = this.#lockedJob(jobId, 'settled')
    if (!job || !shares) return
    const { forWorker, forTreasury, outputTokens } = shares
    const units = charged * UNITS_PER_CREDIT
    this.#demand(charged + returned === job.lock, `${jobId}: ${charged}+${returned} of ${job.lock}`)
    this.#demand(forWorker + forTreasury === units, `${jobId}: its shares are not its charge`)
    this.#demand(
      SHARES.some((share) => forWorker === (units * share) / 100n),
      `${jobId}: the worker gets ${forWorker} of ${units}`,
    )
    const book = this.wallet(wallet)
    book.locked -= job.lock
    book.available += returned
    book.charged += charged
    const end = { status: 'settled', charged, returned, endTx: tx } as const
    Object.assign(job, end, { workerId, outputHash, outputTokens, forWorker, forTreasury })
  }

  #refunded({ jobId, wallet, credits }: Fact<'refunded'>, tx: Hex32, takenBack: boolean): void {
    const job = this.#lockedJob(jobId, 'refunded')
    if (!job) return
    this.#demand(credits === job.lock, `${jobId}: ${credits} of ${job.lock} are refunded`)
    const book = this.wallet(wallet)
    book.locked -= credits
    book.available += credits
    Object.assign(job, { status: 'refunded', returned: credits, endTx: tx, takenBack })
  }

  #contested(fact: Fact<'disputed'> | Fact<'dispute_resolved'>, tx: Hex32): void {
    const job = this.jobs.get(fact.jobId)
    const before = fact.type === 'disputed' ? 'settled' : 'disputed'
    this.#demand(job?.status === before, `${fact.jobId}: ${fact.type} while ${job?.status}`)
    if (!job) return
    if (fact.type === 'disputed') {
      Object.assign(job, { status: 'disputed', claimedHash: fact.claimedHash, disputeTx: tx })
      return
    }
    job.status = fact.upheld ? 'upheld' : 'rejected'
    job.verdictTx = tx
    const back = fact.upheld ? job.charged : 0n
    this.#demand(fact.returned === back, `${fact.jobId}: a verdict returns ${fact.returned}`)
    const book = this.wallet(fact.wallet)
    book.available += back
    book.charged -= back
  }

  #lockedJob(jobId: JobId, what: string): JobBook | undefined {
    const job = this.jobs.get(jobId)
    this.#demand(job?.status === 'locked', `${jobId} is ${what} while ${job?.status ?? 'unknown'}`)
    return job?.status === 'locked' ? job : undefined
  }

  #note(fact: FactBody, block: number, logIndex: number): void {
    if (!('wallet' in fact)) return
    const { available, locked } = this.wallet(fact.wallet)
    const places = this.places.get(fact.wallet) ?? []
    places.push({ block, logIndex, available, locked })
    this.places.set(fact.wallet, places)
  }

  #demand(holds: boolean, flaw: string): void {
    if (!holds) this.flaws.push(flaw)
  }
}

type Fact<Type extends FactBody['type']> = Extract<FactBody, { readonly type: Type }>
