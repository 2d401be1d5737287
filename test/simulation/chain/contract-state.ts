import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { LaneRole } from './calls.ts'
import { type Held, NOTHING_HELD } from './earnings.ts'

export type JobStatus = 'Locked' | 'Settled' | 'Refunded' | 'Disputed' | 'Upheld' | 'Rejected'

export interface Account {
  readonly available: bigint
  readonly locked: bigint
  readonly thawing: bigint
  /** Unix seconds, as every time here. */
  readonly lastDepositAt: number
  /** Credits a day; 0: none. */
  readonly spendLimit: bigint
  readonly spent: bigint
  readonly spentOn: number
  readonly voucherNonce: bigint
  /** 0: nothing thaws. */
  readonly thawEndsAt: number
}

export interface Job {
  readonly wallet: Address
  /** Locked; once settled: charged. */
  readonly credits: bigint
  readonly tier: number
  readonly status: JobStatus
  readonly since: number
  readonly workerId: number
  readonly staked: boolean
}

export interface Worker {
  readonly signer: Address
  readonly payee: Address
  readonly deactivated: boolean
  readonly active: bigint
  readonly unbonding: bigint
}

const NO_ACCOUNT: Account = {
  available: 0n,
  locked: 0n,
  thawing: 0n,
  lastDepositAt: 0,
  spendLimit: 0n,
  spent: 0n,
  spentOn: 0,
  voucherNonce: 0n,
  thawEndsAt: 0,
}

/** All that the contracts remember. What the maps hold never changes, so a copy of them is enough. */
export class ContractState {
  accounts = new Map<Address, Account>()
  jobs = new Map<JobId, Job>()
  workers = new Map<number, Worker>()
  workerIds = new Map<Address, number>()
  /** `<worker> <job>` */
  punished = new Set<string>()
  earnings = new Map<number, Held>()
  treasury: Held = NOTHING_HELD
  disputedUnits = 0n
  /** Payment tokens, in units. */
  tokens = new Map<Address, bigint>()
  paused = false
  /** Which their holders have lost. */
  revoked = new Set<LaneRole>()
  capPerHour = 0n
  cap = { charged: 0n, hour: 0 }

  fork(): ContractState {
    const copy = new ContractState()
    copy.accounts = new Map(this.accounts)
    copy.jobs = new Map(this.jobs)
    copy.workers = new Map(this.workers)
    copy.workerIds = new Map(this.workerIds)
    copy.punished = new Set(this.punished)
    copy.earnings = new Map(this.earnings)
    copy.treasury = this.treasury
    copy.disputedUnits = this.disputedUnits
    copy.tokens = new Map(this.tokens)
    copy.paused = this.paused
    copy.revoked = new Set(this.revoked)
    copy.capPerHour = this.capPerHour
    copy.cap = this.cap
    return copy
  }

  account(wallet: Address): Account {
    return this.accounts.get(wallet) ?? NO_ACCOUNT
  }

  change(wallet: Address, change: Partial<Account>): void {
    this.accounts.set(wallet, { ...this.account(wallet), ...change })
  }

  tokensOf(address: Address): bigint {
    return this.tokens.get(address) ?? 0n
  }

  move(from: Address, to: Address, units: bigint): boolean {
    const held = this.tokensOf(from)
    if (held < units) return false
    this.tokens.set(from, held - units)
    this.tokens.set(to, this.tokensOf(to) + units)
    return true
  }
}
