import type { Credits } from '../domain/credits.ts'
import type { Address } from '../domain/ids.ts'

/**
 * Credits that no job can reserve, because a voucher says that their wallet may take them out. One
 * voucher a wallet at a time. What Redis forgets of it costs nobody: the chain decides what a wallet
 * can still take, and what a job can still lock.
 */
export interface SetAsides {
  /**
   * With the nonce that was seen. The same request again: the same answer, also once the voucher was
   * used or has run out.
   */
  setAside(wanted: Omit<SetAside, 'nonce'>, seen: SeenVouchers): Promise<SetAsideReply>
  /** What is set aside for the wallet now. */
  held(wallet: Address): Promise<SetAside | undefined>
  /** Ends it where it is still there. Repeated, or for a request that is not the latest: nothing. */
  end(wallet: Address, requestId: string): Promise<void>
  /** Those whose voucher's deadline lies before `unixSeconds`. */
  overdue(unixSeconds: number, limit: number): Promise<readonly OverdueVoucher[]>
}

export interface SetAside {
  readonly wallet: Address
  readonly requestId: string
  readonly credits: Credits
  readonly to: Address
  /** Of the wallet's vouchers on chain. */
  readonly nonce: bigint
  /** Unix seconds, by the chain's time. */
  readonly deadline: number
}

/** What the chain says of a wallet's vouchers after one block. */
export interface SeenVouchers {
  /** The only one that can be used next. */
  readonly nonce: bigint
  readonly block: number
  /** Of the block, or later where none was made for long: Unix seconds. */
  readonly time: number
}

export type SetAsideReply =
  | { readonly type: 'set_aside'; readonly voucher: SetAside }
  /** Another voucher can still be used. */
  | { readonly type: 'open'; readonly deadline: number }
  | { readonly type: 'insufficient'; readonly remaining: Credits }
  /** The ledger has seen a later block: read the chain again. */
  | { readonly type: 'stale' }
  /** The latest voucher is, and the ledger sees its withdrawal only once that is confirmed. */
  | { readonly type: 'used' }
  | { readonly type: 'unknown_wallet' }

export interface OverdueVoucher {
  readonly wallet: Address
  readonly requestId: string
}
