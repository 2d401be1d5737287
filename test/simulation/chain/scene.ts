import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { CompactSignature, Completion } from '../../../src/domain/proof.ts'
import type { ChainFact, Hex } from '../../../src/ports/escrow.ts'
import type { Registration, VoucherTerms } from './calls.ts'
import type { ContractState } from './contract-state.ts'

/** What the contracts were made with, and how signatures are checked. Times in seconds. */
export interface ContractTerms {
  readonly locker: Address
  readonly settler: Address
  readonly arbiter: Address
  readonly pauser: Address
  readonly admin: Address
  readonly treasury: Address
  readonly escrow: Address
  readonly expirySeconds: number
  readonly disputeSeconds: number
  readonly arbitrationSeconds: number
  readonly thawSeconds: number
  readonly settleCapMax: bigint
  readonly minimumDeposit: bigint
  readonly unitsPerCredit: bigint
  /** Of governance tokens. */
  readonly minimumStake: bigint
  readonly slashBps: bigint
  /** By tier; credits. */
  readonly prices: readonly { readonly perRequest: bigint; readonly per1kTokens: bigint }[]
  depositAddress(wallet: Address): Address
  signerOf(completion: Completion, signature: CompactSignature): Address | undefined
  isRegistration(registration: Registration): boolean
  isVoucher(terms: VoucherTerms & { wallet: Address; nonce: bigint }, voucher: Hex): boolean
}

type Body<Fact> = Fact extends unknown
  ? Omit<Fact, 'tx' | 'block' | 'blockHash' | 'logIndex'>
  : never
export type FactBody = Body<ChainFact>

/** An event: as the house reads it, or one that it does not read as a fact of the escrow. */
export type Log =
  | ({ readonly name: 'fact'; readonly fact: FactBody } & Beside)
  | { readonly name: 'Transfer'; readonly to: Address }
  | { readonly name: 'WorkerDeactivated'; readonly workerId: number; readonly signer: Address }
  | { readonly name: 'Claimed'; readonly earner: number | 'treasury'; readonly units: bigint }
  | { readonly name: 'PaidOut'; readonly wallet: Address; readonly credits: bigint }

/** What an event tells that its fact leaves out. */
export interface Beside {
  readonly payer?: Address
  readonly to?: Address
  /** Unix seconds. */
  readonly endsAt?: number
  readonly tier?: number
  readonly workerId?: number
  readonly shares?: Shares
}

/** What a settlement paid, in token units; what a verdict took back is the same. */
export interface Shares {
  readonly outputTokens: number
  readonly forWorker: bigint
  readonly forTreasury: bigint
}

/** The whole transaction fails with this error. */
export class Revert extends Error {}

export function require(holds: boolean, error: string): void {
  if (!holds) throw new Revert(error)
}

/** One transaction under way. */
export class Scene {
  readonly logs: Log[] = []
  readonly state: ContractState
  readonly terms: ContractTerms
  /** Of the block; Unix seconds. */
  readonly now: number

  constructor(state: ContractState, terms: ContractTerms, now: number) {
    this.state = state
    this.terms = terms
    this.now = now
  }

  tell(log: Log): void {
    this.logs.push(log)
  }

  fact(fact: FactBody, beside: Beside = {}): void {
    this.logs.push({ name: 'fact', fact, ...beside })
  }

  skip(jobId: JobId, reason: string): void {
    this.fact({ type: 'skipped', jobId, reason })
  }
}

export const windowOf = (scene: Pick<Scene, 'terms'>, at: number): number =>
  Math.floor(at / scene.terms.disputeSeconds)
