/** What the web app’s own API says of workers and proposals, in the manner of api.ts. */

type Address = `0x${string}`
type TxHash = `0x${string}`
type Iso = string

/** GET /api/workers/<address>: by the address that signs; 404 where it never registered. */
export interface WebWorker {
  readonly address: Address
  readonly worker_id: number
  readonly payee: Address
  /** False: it has left for good. What it earned and staked is still its payee's. */
  readonly active: boolean
  /** Enough is staked for the higher share. */
  readonly staked: boolean
  /** Whole tokens, decimal. */
  readonly stake_rcompute: string
  readonly minimum_stake_rcompute: string
  /** `ends_at` in the past: it can be withdrawn. */
  readonly unbonding: { readonly amount_rcompute: string; readonly ends_at: Iso } | null
  /** Claimable and held together. */
  readonly earnings_usdg: number
  readonly claimable_usdg: number
  /** Held through the dispute window. */
  readonly held_usdg: number
}

/** GET /api/proposals → {data}: the newest 50, newest first. */
export interface Proposal {
  /** Decimal. */
  readonly id: string
  readonly description: string
  readonly state: ProposalState
  /** Asks for the retirement of this model; null: for something else. */
  readonly model: string | null
  /** Whole tokens, decimal. */
  readonly votes: { readonly for: string; readonly against: string; readonly abstain: string }
  readonly voting_begins_at: Iso
  readonly voting_ends_at: Iso
  /** Once it is queued; null: it is not, or will not be. */
  readonly executable_at: Iso | null
  readonly tx: TxHash
}
export type ProposalState =
  | 'pending'
  | 'active'
  | 'canceled'
  | 'defeated'
  | 'succeeded'
  | 'queued'
  | 'expired'
  | 'executed'
