import type { Credits, TokenUnits } from '../domain/credits.ts'
import type { Address, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'

/** What the chain tells everybody of this network. Everything throws ChainUnavailable. */
export interface NetworkReader {
  /** What the escrow owes, and what it holds, at one block some seconds ago at most. */
  solvency(): Promise<ChainSolvency>
  /** Whom the worker that signs with this address is paid to; undefined: there is none, or it left. */
  payeeOf(signer: Address): Promise<Address | undefined>
  /** The block of a transaction; null: it is in none yet. */
  inclusion(tx: TxHash): Promise<Inclusion | null>
  /** The verdict on a dispute that was opened in block `from`; null: there is none so far. */
  disputeEnd(jobId: JobId, from: number): Promise<DisputeEnd | null>
}

export interface ChainSolvency {
  readonly block: number
  /** Of all wallets; what thaws counts as theirs. */
  readonly accounts: Credits
  readonly locks: Credits
  /** Of all workers. */
  readonly earnings: TokenUnits
  readonly treasury: TokenUnits
  readonly disputed: TokenUnits
  /** That the escrow holds. */
  readonly held: TokenUnits
}

export interface Inclusion {
  readonly block: number
  readonly at: UnixMs
}

export interface DisputeEnd {
  readonly tx: TxHash
}
