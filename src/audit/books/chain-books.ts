import type { parseEventLogs } from 'viem'
import { type escrowEvents, jobIdOf, type RecordStatus } from '../chain/abi.ts'
import { type Difference, differ, sameAmount } from './difference.ts'
import { type JobBook, lockedJob } from './job-book.ts'
import { type Position, positionOf } from './position.ts'
import { price, UNITS_PER_CREDIT, workerShare } from './rules.ts'
import { Shares } from './shares.ts'
import {
  emptyWallet,
  move,
  type Standing,
  standingAt,
  unbalancedWallet,
  type WalletBook,
} from './wallet-book.ts'

export type EscrowEvent = ReturnType<typeof parseEventLogs<typeof escrowEvents>>[number]
type EventOf<Name extends EscrowEvent['eventName']> = Extract<EscrowEvent, { eventName: Name }>

/** Credits on their way out of the escrow, or back. */
const WITHDRAWALS = {
  Withdrawn: { from: 'available', to: 'withdrawn' },
  WithdrawalRequested: { from: 'available', to: 'thawing' },
  WithdrawalCancelled: { from: 'thawing', to: 'available' },
  WithdrawalCompleted: { from: 'thawing', to: 'withdrawn' },
} as const

/** All that happened in the escrow, entered event by event. */
export class ChainBooks {
  readonly wallets = new Map<string, WalletBook>()
  readonly jobs = new Map<string, JobBook>()
  readonly shares = new Shares()
  readonly differences: Difference[] = []

  enter(event: EscrowEvent): void {
    switch (event.eventName) {
      case 'Deposited':
        this.#deposit(event)
        return
      case 'Withdrawn':
      case 'WithdrawalRequested':
      case 'WithdrawalCancelled':
      case 'WithdrawalCompleted':
        this.#withdraw(event)
        return
      case 'EarningsClaimed':
        this.shares.claimByWorker(event.args.workerId, event.args.units)
        return
      case 'TreasuryClaimed':
        this.shares.claimByTreasury(event.args.units)
        return
      case 'JobLocked':
        this.#lock(event)
        return
      case 'JobSettled':
        this.#settle(event)
        return
      case 'JobRefunded':
        this.#refund(event)
        return
      case 'JobDisputed':
        this.#dispute(event)
        return
      case 'DisputeResolved':
        this.#resolve(event)
    }
  }

  /** What the wallet had right after this position. */
  standingAt(wallet: string, at: Position): Standing {
    return standingAt(this.wallets.get(wallet) ?? emptyWallet(), at)
  }

  #deposit(event: EventOf<'Deposited'>): void {
    const { wallet, credits } = event.args
    this.#move(wallet, event, { deposited: credits, available: credits })
  }

  #withdraw(event: EventOf<keyof typeof WITHDRAWALS>): void {
    const { wallet, credits } = event.args
    const { from, to } = WITHDRAWALS[event.eventName]
    this.#move(wallet, event, { [from]: -credits, [to]: credits })
  }

  #lock(event: EventOf<'JobLocked'>): void {
    const { args, transactionHash: lockTx } = event
    const id = jobIdOf(args.jobId)
    const locked = BigInt(args.credits)
    if (this.jobs.has(id)) {
      this.#wrong(id, 'was locked twice on chain')
      return
    }
    const wallet = lower(args.wallet)
    const { tier } = args
    this.jobs.set(id, lockedJob({ wallet, tier, locked, lockTx, lockedAt: positionOf(event) }))
    this.#move(wallet, event, { available: -locked, locked })
  }

  #settle(event: EventOf<'JobSettled'>): void {
    const { args, transactionHash: settlementTx } = event
    const id = jobIdOf(args.jobId)
    const job = this.#from(id, 'locked', 'settled')
    if (!job) return
    const [charged, returned] = [BigInt(args.creditsCharged), BigInt(args.creditsReturned)]
    const wanted = price(job.tier, BigInt(args.outputTokens))
    this.#same(id, 'its charge', charged, wanted === undefined ? 0n : least(wanted, job.locked))
    this.#same(id, 'charge and return', charged + returned, job.locked)
    this.#checkShares(id, args)
    const { workerId, workerUnits, outputHash } = args
    const proof = { charged, workerId, workerUnits, outputHash: lower(outputHash), settlementTx }
    this.jobs.set(id, { ...job, ...proof, status: 'settled', endedAt: positionOf(event) })
    this.shares.pay({ charged, workerId, workerUnits })
    this.#move(job.wallet, event, { available: returned, locked: -job.locked, charged })
  }

  #checkShares(id: string, args: EventOf<'JobSettled'>['args']): void {
    const charged = BigInt(args.creditsCharged)
    const { workerUnits, treasuryUnits } = args
    this.#same(id, 'both shares', workerUnits + treasuryUnits, charged * UNITS_PER_CREDIT)
    const right = [workerShare(charged, false), workerShare(charged, true)]
    if (right.includes(workerUnits)) return
    this.#wrong(id, `paid its worker ${workerUnits} units, which is neither 75 nor 85 %`)
  }

  #refund(event: EventOf<'JobRefunded'>): void {
    const { args, transactionHash: refundTx } = event
    const id = jobIdOf(args.jobId)
    const job = this.#from(id, 'locked', 'refunded')
    if (!job) return
    const returned = BigInt(args.credits)
    this.#same(id, 'its refund', returned, job.locked)
    this.jobs.set(id, { ...job, status: 'refunded', refundTx, endedAt: positionOf(event) })
    this.#move(job.wallet, event, { available: returned, locked: -job.locked })
  }

  #dispute({ args, transactionHash: tx }: EventOf<'JobDisputed'>): void {
    const id = jobIdOf(args.jobId)
    const job = this.#from(id, 'settled', 'disputed')
    if (!job) return
    const dispute = { tx, claimedHash: args.claimedHash, verdict: null }
    this.jobs.set(id, { ...job, status: 'disputed', dispute })
    this.shares.contest(job)
  }

  #resolve(event: EventOf<'DisputeResolved'>): void {
    const { args, transactionHash: tx } = event
    const id = jobIdOf(args.jobId)
    const job = this.#from(id, 'disputed', 'decided')
    if (!job?.dispute) return
    const { charged, wallet } = job
    const { upheld } = args
    this.shares.endContest(job, !upheld)
    const returned = BigInt(args.creditsReturned)
    this.#same(id, 'what its verdict returned', returned, upheld ? charged : 0n)
    const decided = { ...job, dispute: { ...job.dispute, verdict: { tx, upheld } } }
    if (upheld) {
      this.jobs.set(id, { ...decided, status: 'upheld', refundTx: tx })
      this.#move(wallet, event, { available: returned, charged: -returned })
    } else {
      this.jobs.set(id, { ...decided, status: 'rejected' })
    }
  }

  /** The job where it is in this state; another one is a difference. */
  #from(id: string, status: RecordStatus, how: string): JobBook | undefined {
    const job = this.jobs.get(id)
    if (job?.status === status) return job
    this.#wrong(id, `was ${how} on chain, but is ${job?.status ?? 'never locked'}`)
    return undefined
  }

  #move(of: string, event: EscrowEvent, by: Partial<Omit<WalletBook, 'steps'>>): void {
    const wallet = lower(of)
    const book = this.wallets.get(wallet) ?? emptyWallet()
    this.wallets.set(wallet, book)
    move(book, positionOf(event), by)
  }

  #same(id: string, what: string, found: bigint, wanted: bigint): void {
    this.differences.push(...sameAmount(id, what, found, wanted))
  }

  #wrong(id: string, says: string): void {
    this.differences.push(differ(id, says))
  }
}

/** What came in is somewhere, wallet by wallet. */
export const unbalanced = ({ wallets }: ChainBooks): Difference[] =>
  [...wallets].flatMap(([wallet, book]) => unbalancedWallet(wallet, book))

const lower = (hex: string): string => hex.toLowerCase()
const least = (a: bigint, b: bigint): bigint => (b < a ? b : a)
