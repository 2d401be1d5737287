import type { Credits } from '../domain/credits.ts'
import type { Address } from '../domain/ids.ts'

/** Request on `SUBJECTS.accountLoad`: read this wallet from the chain into the ledger. */
export interface LoadAccount {
  readonly wallet: Address
}
export type LoadAccountReply =
  | { readonly type: 'loaded' }
  | { readonly type: 'unavailable'; readonly reason: string }

/** Request on `SUBJECTS.accountWithdraw`: a voucher to take credits out at once. */
export interface WithdrawCredits {
  readonly wallet: Address
  /** Who is paid. */
  readonly to: Address
  readonly credits: Credits
  /** Chosen by who asks, anew for each withdrawal: up to 64 letters, digits, `-` and `_`. */
  readonly requestId: string
}
export type WithdrawCreditsReply =
  | { readonly type: 'granted'; readonly voucher: WithdrawalVoucher }
  | { readonly type: 'refused'; readonly refusal: WithdrawalRefusal }
  /** Nothing is wrong with the request: ask again, with the same id. */
  | {
      readonly type: 'unavailable'
      readonly reason: string
      /** The wallet's last withdrawal is in a block that lacks confirmations: nothing is wrong at all. */
      readonly lastUnconfirmed?: boolean
    }

/** What `withdraw` and `withdrawFor` of the escrow take. */
export interface WithdrawalVoucher {
  readonly chainId: number
  readonly escrow: Address
  readonly wallet: Address
  readonly to: Address
  readonly credits: Credits
  readonly nonce: bigint
  /** Unix seconds by the chain's time. After it the voucher is worth nothing. */
  readonly deadline: number
  /** 65 bytes. */
  readonly signature: `0x${string}`
}

export interface WithdrawalRefusal {
  readonly code: WithdrawalRefusalCode
  /** For the person who asked: what was wrong, and what to do. */
  readonly message: string
  /** What could be withdrawn now; with `insufficient_credits`. */
  readonly remaining?: Credits
  /** Unix seconds: when the open voucher ends; with `voucher_open`. */
  readonly endsAt?: number
}
export type WithdrawalRefusalCode =
  | 'invalid_request'
  | 'insufficient_credits'
  | 'voucher_open'
  | 'request_id_taken'
  | 'not_offered'
