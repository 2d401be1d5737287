import type { Credits } from '../domain/credits.ts'
import type { Address } from '../domain/ids.ts'

/**
 * Request on `SUBJECTS.depositAddress`: where may this wallet send payment tokens? Once asked, the
 * address is watched for ever, and what arrives there becomes credits.
 */
export interface AskDepositAddress {
  readonly wallet: Address
}
export type DepositAddressReply =
  | {
      readonly type: 'deposit_address'
      readonly address: Address
      /** Arrived there and not yet the wallet's: whole credits. */
      readonly pendingCredits: Credits
      /** Fewer wait there until more arrive. */
      readonly minimumCredits: Credits
    }
  | { readonly type: 'unavailable'; readonly reason: string }
