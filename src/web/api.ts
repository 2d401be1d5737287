/**
 * What the web app's own API answers, for both sides of it. Credits are whole numbers, times ISO
 * 8601 UTC strings, addresses and hashes lower-case hexadecimal. Errors have the public envelope.
 * The rest is in webhook-api.ts and workers-api.ts.
 */

import type { PublicJob } from '../messages/public-job.ts'

type Address = `0x${string}`
type TxHash = `0x${string}`
type Iso = string

/** GET /api/config. No session needed. */
export interface WebConfig {
  /** Of the public API's names: headers, keys, the object in models and last chunks. */
  readonly service_prefix: string
  readonly chain: {
    readonly id: number
    readonly name: string
    /** For browsers. */
    readonly rpc_url: string
    readonly coin: { readonly name: string; readonly symbol: string; readonly decimals: number }
  }
  /** Of the settlement chain; transactions are at `<explorer_url>/tx/<hash>`. */
  readonly explorer_url: string
  readonly contracts: {
    readonly job_escrow: Address
    readonly worker_staking: Address
    readonly usdg: Address
    readonly r_compute: Address
    readonly model_registry: Address
    readonly governor: Address
    readonly timelock: Address
    readonly deploy_block: number
  }
  /** What a chat-completions client is pointed at; ends in /v1. */
  readonly base_url: string
  readonly docs_url: string
  readonly walletconnect_project_id: string | null
  /** A built-in wallet with test funds is offered. */
  readonly development: boolean
  /** A signed deposit can be handed to POST /api/deposits, which sends it and pays the gas. */
  readonly relays_deposits: boolean
  readonly minimum_purchase_credits: number
  /** Units of the payment token that one credit is worth. */
  readonly units_per_credit: number
  readonly dispute_window_seconds: number
  readonly job_window_seconds: number
  /** How long a sign-in lasts. */
  readonly session_hours: number
  readonly tiers: Readonly<
    Record<string, { readonly credits_per_request: number; readonly credits_per_1k_tokens: number }>
  >
}

/** GET /api/session; POST /api/session {message, signature}. DELETE ends it. */
export interface WebSession {
  readonly wallet: Address
  readonly expires_at: Iso
}
/** POST /api/session/nonce */
export interface SessionNonce {
  readonly nonce: string
}

/** GET /api/account */
export interface WebAccount {
  readonly wallet: Address
  readonly credits_remaining: number
  readonly usdg_value: number
  readonly last_topup_at: Iso | null
  /** Locked in escrow for jobs that run. */
  readonly locked: CreditsHeld
  /** Locked for jobs that are answered and not yet settled. */
  readonly settling: CreditsHeld
  /** On their way back. */
  readonly refunding: CreditsHeld
  /** Paid for answers that are contested. */
  readonly disputed: CreditsHeld
  /** A withdrawal without our signature, begun on chain; null: the chain does not tell now. */
  readonly thawing: WebThawing | null
  /** Tokens that have arrived at the deposit address and are not credits yet; null: as above. */
  readonly arriving_credits: number | null
}
export interface WebThawing {
  readonly credits: number
  readonly ends_at: Iso | null
}
export interface CreditsHeld {
  readonly credits: number
  readonly jobs: readonly {
    readonly job_id: string
    readonly credits: number
    readonly tx: TxHash | null
    /** When it ends by itself; null: it does not, or only the chain knows, which does not tell now. */
    readonly ends_at: Iso | null
  }[]
}

/**
 * GET /api/account/movements?limit&before: purchases and withdrawals, newest first. There may be more
 * although fewer came than were asked for: a page looks back only so far.
 */
export interface MovementsPage {
  readonly data: readonly Movement[]
  readonly has_more: boolean
  /** What to give as `before` for the next page. */
  readonly next_cursor: string | null
}
export interface Movement {
  readonly type: 'purchase' | 'withdrawal'
  readonly credits: number
  readonly usdg_value: number
  readonly tx: TxHash
  readonly block_number: number
  readonly at: Iso
  /** Who paid, or who was paid. */
  readonly counterparty: Address
}

/** GET /api/deposit-address. A page may be older than the contracts: what is sent, and on which chain, stands by it. */
export interface DepositAddress {
  readonly address: Address
  readonly chain_id: number
  /** The payment token: no other one that comes there is credited. */
  readonly usdg: Address
  readonly pending_credits: number
  readonly minimum_credits: number
}
/**
 * POST /api/deposits {credits, valid_after, valid_before, salt, signature}: an EIP-3009 authorization of
 * the wallet that is signed in, for itself; times in Unix seconds. Once the transaction is broadcast.
 */
export interface RelayedDeposit {
  readonly tx: TxHash
}
/** POST /api/withdrawals {credits, to, request_id} */
export interface WebVoucher {
  readonly credits: number
  readonly to: Address
  /** Unix seconds. */
  readonly deadline: number
  readonly signature: `0x${string}`
}

/**
 * GET /api/key: null, or the active key. POST creates {key: shown once}; 409 while one is active. DELETE revokes;
 * with ?hint, 409 where the active one is another.
 */
export interface WebKey {
  /** First and last characters, for people to tell it by. */
  readonly hint: string
  readonly created_at: Iso
  readonly last_used_at: Iso | null
  readonly status: 'active' | 'suspended'
}
export interface CreatedKey extends WebKey {
  readonly key: string
}

/** POST /api/development/fund {wallet}, no session: what it holds now; `tx` null: it held enough. */
export interface TestFunds {
  readonly tx: TxHash | null
  readonly usdg_value: number
}

/** With each request of a page that shows a wallet: which one. */
export const WALLET_HEADER = 'x-wallet'

/** GET /api/events, as server-sent events: `event: stale`, with what to ask again. */
export interface StaleQueries {
  readonly queries: readonly StaleQuery[]
}
export const STALE_QUERIES = ['account', 'movements', 'jobs', 'arrivals'] as const
export type StaleQuery = (typeof STALE_QUERIES)[number]

/** GET, PUT /api/settings */
export interface WebSettings {
  readonly low_threshold: number
}

/** GET /api/jobs?limit&before&after&status&model: as GET /v1/jobs. */
export interface JobsPage {
  readonly data: readonly PublicJob[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}
/** GET /api/jobs/<id>: the public Job and its life. */
export interface JobLife {
  readonly job: PublicJob
  /** Oldest first. */
  readonly timeline: readonly JobMoment[]
  /** Until when POST /api/jobs/<id>/dispute is taken; null: not yet, never was, or is over. */
  readonly disputable_until: Iso | null
}
export interface JobMoment {
  readonly event: JobMomentName
  /** Of its block where it has a transaction; null: not known, or not in a block yet. */
  readonly at: Iso | null
  /** Null: it has none, or none yet. */
  readonly tx: TxHash | null
  readonly block_number: number | null
}
export type JobMomentName =
  | 'created'
  | 'locked'
  | 'answered'
  | 'settled'
  | 'disputed'
  | 'dispute_upheld'
  | 'dispute_rejected'
  | 'failed'
  | 'refunded'
/** POST /api/jobs/<id>/dispute {received_output_hash}: answered as POST /v1/jobs/<id>/dispute. */
export interface WebDispute {
  readonly job_id: string
  /** False: the hashes agree. */
  readonly dispute_opened: boolean
  readonly your_hash: string
  readonly worker_hash: string
  readonly dispute_tx: TxHash | null
  readonly arbitration_window_hours: number | null
}

/**
 * GET /api/models: as GET /v1/models, but the live data are `svc` here whatever the service prefix is.
 * No session needed, as for all that follows.
 */
export interface WebModels {
  readonly data: readonly WebModel[]
}
export interface WebModel {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly owned_by: string
  readonly svc: {
    readonly tier: string
    readonly credits_per_request: number
    readonly credits_per_1k_tokens: number
    readonly active_workers: number
    /** 0: nothing was measured yet. */
    readonly median_latency_ms: number
    readonly parameters: string
    readonly context_window: number
    readonly retires_at?: Iso
  }
}

/** GET /api/network */
export interface NetworkState {
  /** Read from the chain at one block, some seconds ago at most; null: the chain does not answer now. */
  readonly solvency: Solvency | null
  /** Jobs that came to workers in the last minute. */
  readonly jobs_per_minute: number
  /** Connected now. */
  readonly workers: number
  /** By what their operators call it, the most first; empty: they do not say. */
  readonly workers_by_region: Readonly<Record<string, number>>
  readonly pools: number
}
export interface Solvency {
  /** Of all wallets, what thaws included. */
  readonly accounts_credits: number
  readonly locks_credits: number
  /** Of all workers, what is held through the dispute window included. */
  readonly earnings_usdg: number
  readonly treasury_usdg: number
  /** What contested jobs earned, until a verdict says whose it is. */
  readonly disputed_usdg: number
  readonly contract_usdg: number
  /** What the contract holds beyond what it owes, which is the sum of the above. */
  readonly surplus_usdg: number
  readonly block_number: number
}
