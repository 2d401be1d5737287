import type { Address } from '../domain/ids.ts'
import type { WalletSettings } from '../messages/settings.ts'

export interface Settings {
  /** What this wallet has chosen, at most a few seconds ago, and the defaults for the rest. */
  of(wallet: Address): Promise<WalletSettings>
}
