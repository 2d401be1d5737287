import type { Credits } from '../domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'
import type {
  DisputeIntent,
  LockIntent,
  RefundIntent,
  RegisterWorker,
  SettleIntent,
} from '../messages/lane.ts'
import type { Lane } from '../messages/subjects.ts'
import type { BlockId, ChainAccount } from './ledger.ts'

/** One transaction's worth of work for one lane. */
export type Batch =
  | { readonly type: 'lock'; readonly items: readonly LockIntent[] }
  | { readonly type: 'settle'; readonly items: readonly SettleIntent[] }
  | { readonly type: 'refund'; readonly items: readonly RefundIntent[] }
  | { readonly type: 'dispute'; readonly items: readonly DisputeIntent[] }
  | { readonly type: 'register'; readonly items: readonly [RegisterWorker] }

export interface SignedTransaction {
  readonly hash: TxHash
  readonly raw: Hex
  readonly nonce: number
}
export type Hex = `0x${string}`

/** A transaction on its way: the newest attempt at its nonce, and those that it replaced. */
export interface Offer {
  readonly transaction: SignedTransaction
  /** Oldest first. Any of them may be the one that is mined. */
  readonly earlier: readonly TxHash[]
}

/** Writing to the chain with the lanes' keys. */
export interface EscrowWriter {
  /** The next nonce by the chain's latest state. */
  nonce(lane: Lane): Promise<number>
  /** Whether the lane's key signed it: that of before may have left it. */
  isOwn(lane: Lane, transaction: SignedTransaction): boolean
  /** Most items of one kind that a transaction has gas for, by what is known of the chain's blocks. */
  itemsMax(type: Batch['type']): number
  /** @throws {BatchTooLarge} before anything is signed */
  sign(lane: Lane, nonce: number, batch: Batch): Promise<SignedTransaction>
  /**
   * The same call at the same nonce, for fees that nodes take in place of the former ones and that
   * are at least what the chain asks now. `capped`: that is more than the operator allows.
   */
  replace(lane: Lane, transaction: SignedTransaction): Promise<SignedTransaction | 'capped'>
  /**
   * Broadcasts the newest attempt; sending the same bytes again is harmless. `broadcast` is called
   * once the node has taken it. Resolves with the receipt of the attempt that was included, or with
   * `stuck`: blocks go by without it, or the node finds its fees too low.
   * @throws {ChainUnavailable} the node does not answer; whether it took the bytes is unknown
   * @throws {GasFundsMissing} the lane's address cannot pay for it
   * @throws {BatchTooLarge} no block has room for it
   * @throws {LaneConflict} none of the attempts will ever be included
   * @throws {NonceGap} they cannot be included before earlier ones are sent again
   */
  send(lane: Lane, offer: Offer, broadcast: () => void): Promise<Receipt | 'stuck'>
  /**
   * Resolves where the lane's key may do what it signs.
   * @throws {RoleMissing} the escrow would refuse all of it
   * @throws {ChainUnavailable}
   */
  requireRole(lane: Lane): Promise<void>
  /** Whether one of the attempts is in a block, as far as the node shows. @throws {ChainUnavailable} */
  isIncluded(offer: Offer): Promise<boolean>
}

/** Reading from the chain. */
export interface EscrowReader {
  /** @throws {ChainUnavailable} */
  head(): Promise<Block>
  block(number: number): Promise<Block | undefined>
  /**
   * Facts of blocks `from` to `to`, in the chain's order.
   * @param ends what is known of these blocks: facts of another branch are not told
   * @throws {ChainUnavailable} also where the node lacks a block, or has others than `ends`
   */
  facts(from: number, to: number, ends?: Ends): Promise<readonly ChainFact[]>
  account(wallet: Address): Promise<ChainAccount & BlockId>
  /** All facts of one job, oldest first: how a lane answers for a transaction it has forgotten. */
  jobFacts(jobId: JobId): Promise<readonly ChainFact[]>
  /**
   * The same, and nothing is missing of this block and those before it.
   * @returns undefined where the node does not have the block: not yet, or not any more
   */
  jobFactsAt(block: number, jobId: JobId): Promise<readonly ChainFact[] | undefined>
  /** Undefined: not registered, or deactivated. */
  workerId(signer: Address): Promise<number | undefined>
  /** Why a registration would fail now, in the contract's word; undefined where it would not. */
  registrationError(wish: RegisterWorker): Promise<string | undefined>
  /** Workers that were deactivated in blocks `from` to `to`. */
  deactivated(from: number, to: number): Promise<readonly Address[]>
  /** Calls soon after each new block. */
  onBlock(call: () => void): () => void
}

/** Hashes by which a range of blocks is known. */
export interface Ends {
  /** Of the block before the first. */
  readonly after?: Hex32 | undefined
  /** Of the last. */
  readonly end?: Hex32 | undefined
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
  /** What it used, in units; undefined where the node does not say. */
  readonly gas?: number | undefined
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
    /** Taken out at once. */
    | { readonly type: 'withdrawn'; readonly wallet: Address; readonly credits: Credits }
    /** Set aside to be taken out later: no job can lock it. Taking it out changes nothing more. */
    | { readonly type: 'thawing_started'; readonly wallet: Address; readonly credits: Credits }
    | { readonly type: 'thawing_cancelled'; readonly wallet: Address; readonly credits: Credits }
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
    | {
        readonly type: 'disputed'
        readonly jobId: JobId
        readonly wallet: Address
        readonly claimedHash: Hex32
      }
    | {
        readonly type: 'dispute_resolved'
        readonly jobId: JobId
        readonly wallet: Address
        readonly upheld: boolean
        /** Back to the wallet: the whole charge where upheld, else none. */
        readonly returned: Credits
      }
    | { readonly type: 'skipped'; readonly jobId: JobId; readonly reason: string }
    | {
        readonly type: 'worker_registered'
        readonly workerId: number
        readonly signer: Address
        readonly payee: Address
      }
    | {
        readonly type: 'worker_slashed'
        readonly signer: Address
        /** Burnt, in units of the governance token; 18 decimals. */
        readonly amount: bigint
        readonly reason: string
        /** As it was signed: a worker can sign lies about a job that is none of ours. */
        readonly relatedJobId: string
        readonly at: UnixMs
      }
  )

/** The node cannot be reached or does not answer; try again later. */
export class ChainUnavailable extends Error {}

/** The node takes no such transaction, and says why in words that are not known here. */
export class TransactionRefused extends ChainUnavailable {}

/** The address that signs has too little of the chain's own coin; goes on once it is sent some. */
export class GasFundsMissing extends ChainUnavailable {}

/** The address that signs has not, or no longer, the role that its calls need; goes on once it is granted. */
export class RoleMissing extends ChainUnavailable {}

/** A transaction may not ask for so much gas: its items go in several. */
export class BatchTooLarge extends Error {}

/** Another transaction took this nonce with this lane's key: a second writer lives. */
export class LaneConflict extends Error {}

/** The chain's nonce is below the transaction's: the chain has lost earlier transactions. */
export class NonceGap extends Error {}
