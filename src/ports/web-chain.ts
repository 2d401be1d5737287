import type { Credits, TokenUnits } from '../domain/credits.ts'
import type { Address, JobId, TxHash } from '../domain/ids.ts'
import type { Result } from '../domain/result.ts'
import type { UnixMs } from '../domain/time.ts'
import type { Hex } from './escrow.ts'

/** What the web app asks of the settlement chain. Everything throws ChainUnavailable. */

export interface WalletReader {
  /** A withdrawal without our signature, begun on chain. `endsAt` null: nothing thaws. */
  thawing(wallet: Address): Promise<{ readonly credits: Credits; readonly endsAt: UnixMs | null }>
  /** Purchases and withdrawals, newest first. */
  movements(query: MovementQuery): Promise<MovementPage>
  /** Where plain transfers for this wallet go. Known without asking. */
  depositAddress(wallet: Address): Address
  tokensOf(address: Address): Promise<TokenUnits>
  head(): Promise<number>
  /** Which of `addresses` received payment tokens in blocks `from` to `to`. */
  arrivals(from: number, to: number, addresses: ReadonlySet<Address>): Promise<readonly Address[]>
  /** When the dispute of a job was opened; null: none is open on chain. */
  disputedAt(jobId: JobId): Promise<UnixMs | null>
}

/** A place in the chain's order of logs. */
export interface LogPlace {
  readonly block: number
  readonly logIndex: number
}

export interface MovementQuery {
  readonly wallet: Address
  readonly limit: number
  /** Only those before this place. */
  readonly before?: LogPlace | undefined
}

export interface MovementPage {
  /** Newest first; may be fewer than the limit although there are more. */
  readonly movements: readonly ChainMovement[]
  /** Where to go on; null: there are no older ones. */
  readonly next: LogPlace | null
}

export interface ChainMovement extends LogPlace {
  readonly type: 'purchase' | 'withdrawal'
  readonly credits: Credits
  readonly tx: TxHash
  readonly at: UnixMs
  /** Who paid, or who was paid. */
  readonly counterparty: Address
}

/** Signing in with a wallet (EIP-4361). */
export interface SignIn {
  /** Checks everything but whether the nonce is ours. An error says what is wrong, to the person. */
  verify(signed: SignedMessage, expected: SignInTerms): Promise<Result<SignedIn, string>>
}
export interface SignedMessage {
  readonly message: string
  readonly signature: Hex
}
export interface SignInTerms {
  /** Of the web app, such as https://app.example. */
  readonly origin: string
  readonly at: UnixMs
}
export interface SignedIn {
  readonly wallet: Address
  readonly nonce: string
}

/** Hands in deposits that a wallet has only signed (EIP-3009), and pays the gas. */
export interface DepositRelay {
  submit(deposit: SignedDeposit): Promise<RelayOutcome>
}
export interface SignedDeposit {
  /** Pays, and gets the credits. */
  readonly wallet: Address
  readonly credits: Credits
  /** Unix seconds. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly salt: Hex
  readonly signature: Hex
}
export type RelayOutcome =
  /** In the node's pool or in a block. The same deposit again: the same, and nothing is sent. */
  | { readonly type: 'sent'; readonly tx: TxHash }
  /** Handed in before, and in no block yet; by which transaction the chain tells once it is. */
  | { readonly type: 'under_way' }
  /** The contracts would refuse it. `reason`: the name of their error, as far as it is known. */
  | { readonly type: 'refused'; readonly reason: string }
  /** We cannot pay for it now. */
  | { readonly type: 'unavailable'; readonly reason: string }

/** Test funds, on a development chain. */
export interface Faucet {
  /**
   * Fills the wallet up with coin and payment tokens, and gives one that has none some of the
   * governance token. `tx` null: it had enough payment tokens.
   */
  fund(wallet: Address): Promise<{ readonly tx: TxHash | null; readonly held: TokenUnits }>
}
