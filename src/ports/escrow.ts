import type { Credits } from '../domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'
import type { LockIntent, RefundIntent, RegisterWorker, SettleIntent } from '../messages/lane.ts'
import type { Lane } from '../messages/subjects.ts'
import type { ChainAccount } from './ledger.ts'

/** One transaction's worth of work for one lane. */
export type Batch =
  | { readonly type: 'lock'; readonly items: readonly LockIntent[] }
  | { readonly type: 'settle'; readonly items: readonly SettleIntent[] }
  | { readonly type: 'refund'; readonly items: readonly RefundIntent[] }
  | { readonly type: 'register'; readonly items: readonly [RegisterWorker] }

export interface SignedTransaction {
  readonly hash: TxHash
  readonly raw: Hex
  readonly nonce: number
}
export type Hex = `0x${string}`

/** Writing to the chain with the lanes' keys. */
export interface EscrowWriter {
  /** The next nonce by the chain's latest state. */
  nonce(lane: Lane): Promise<number>
  sign(lane: Lane, nonce: number, batch: Batch): Promise<SignedTransaction>
  /**
   * Broadcasts; sending the same bytes again is harmless. `broadcast` is called once the node has
   * taken it. Resolves with the receipt once included.
   * @throws {ChainUnavailable} the node does not answer; whether it took the bytes is unknown
   * @throws {LaneConflict} these bytes will never be included
   * @throws {NonceGap} they cannot be included before earlier ones are sent again
   */
  send(lane: Lane, transaction: SignedTransaction, broadcast: () => void): Promise<Receipt>
}

/** Reading from the chain. */
export interface EscrowReader {
  /** @throws {ChainUnavailable} */
  head(): Promise<Block>
  block(number: number): Promise<Block | undefined>
  /** Facts of blocks `from` to `to`, in the chain's order. */
  facts(from: number, to: number): Promise<readonly ChainFact[]>
  account(wallet: Address): Promise<ChainAccount>
  /** All facts of one job, oldest first: how a lane answers for a transaction it has forgotten. */
  jobFacts(jobId: JobId): Promise<readonly ChainFact[]>
  workerId(signer: Address): Promise<number | undefined>
  /** Calls soon after each new block. */
  onBlock(call: () => void): () => void
}

export interface Block {
  readonly number: number
  readonly hash: Hex32
  readonly parentHash: Hex32
}

export interface Receipt {
  readonly hash: TxHash
  readonly block: number
  /** False: the whole transaction reverted, none of its items happened. */
  readonly succeeded: boolean
  readonly facts: readonly ChainFact[]
}

interface At {
  readonly tx: TxHash
  readonly block: number
  readonly blockHash: Hex32
  readonly logIndex: number
}

/** A log of our contracts, in the house's words. */
export type ChainFact = At &
  (
    | {
        readonly type: 'deposited'
        readonly wallet: Address
        readonly credits: Credits
        readonly at: UnixMs
      }
    | {
        readonly type: 'locked'
        readonly jobId: JobId
        readonly wallet: Address
        readonly credits: Credits
      }
    | {
        readonly type: 'settled'
        readonly jobId: JobId
        readonly wallet: Address
        readonly workerId: number
        readonly outputHash: Hex32
        readonly charged: Credits
        readonly returned: Credits
      }
    | {
        readonly type: 'refunded'
        readonly jobId: JobId
        readonly wallet: Address
        readonly credits: Credits
      }
    | { readonly type: 'skipped'; readonly jobId: JobId; readonly reason: string }
    | {
        readonly type: 'worker_registered'
        readonly workerId: number
        readonly signer: Address
        readonly payee: Address
      }
  )

/** The node cannot be reached or does not answer; try again later. */
export class ChainUnavailable extends Error {}

/** Another transaction took this nonce with this lane's key: a second writer lives. */
export class LaneConflict extends Error {}

/** The chain's nonce is below the transaction's: the chain has lost earlier transactions. */
export class NonceGap extends Error {}
