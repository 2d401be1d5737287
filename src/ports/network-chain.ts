import type { Credits, TokenUnits } from '../domain/credits.ts'
import type { Address, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'

/** What the chain tells everybody of this network. Everything throws ChainUnavailable. */
export interface NetworkReader {
  /** What the escrow owes, and what it holds, at one block some seconds ago at most. */
  solvency(): Promise<ChainSolvency>
  /** The worker that signs with this address; undefined: it never registered. */
  worker(signer: Address): Promise<ChainWorker | undefined>
  /** The newest, newest first; some seconds old at most. */
  proposals(): Promise<readonly ChainProposal[]>
  /** The block of a transaction; null: it is in none yet. */
  inclusion(tx: TxHash): Promise<Inclusion | null>
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

/** Stakes in units of the governance token. */
export interface ChainWorker {
  readonly signer: Address
  readonly workerId: number
  readonly payee: Address
  readonly deactivated: boolean
  readonly stake: bigint
  /** From which a worker earns the higher share. */
  readonly minimumStake: bigint
  readonly unbonding: bigint
  /** From when all that is unbonding can be withdrawn; 0: nothing ever was. */
  readonly withdrawableAt: UnixMs
  /** Claimable or not yet. */
  readonly earnings: TokenUnits
  readonly claimable: TokenUnits
}

export interface ChainProposal {
  readonly id: bigint
  readonly description: string
  readonly state: ProposalStateName
  /** That it asks to retire; null: it asks for something else. */
  readonly model: string | null
  /** In units of the governance token. */
  readonly votes: { readonly for: bigint; readonly against: bigint; readonly abstain: bigint }
  readonly beginsAt: UnixMs
  readonly endsAt: UnixMs
  /** Null: it is not queued. */
  readonly executableAt: UnixMs | null
  readonly tx: TxHash
}
export type ProposalStateName =
  | 'pending'
  | 'active'
  | 'canceled'
  | 'defeated'
  | 'succeeded'
  | 'queued'
  | 'expired'
  | 'executed'

export interface Inclusion {
  readonly block: number
  readonly at: UnixMs
}
