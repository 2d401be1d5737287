import { type Credits, toCredits } from '../domain/credits.ts'
import { err, ok, type Result } from '../domain/result.ts'

/** What a wallet has chosen in the web app. */
export interface WalletSettings {
  /** `credit.low` is told when the balance drops under this; 0: never. */
  readonly lowThreshold: Credits
}

export const DEFAULT_SETTINGS: WalletSettings = { lowThreshold: toCredits(100) }
/** More than all the credits there can be. */
const LOW_THRESHOLD_MAX = 2 ** 48

/**
 * @param record of the bucket SETTINGS, under the wallet's address: `low_threshold` in whole credits;
 *   absent: the default. Fields that are not known here are left to the versions that know them
 */
export function parseSettings(record: unknown): Result<WalletSettings, string> {
  if (typeof record !== 'object' || record === null) return err('settings are an object')
  const { low_threshold } = record as { readonly low_threshold?: unknown }
  if (low_threshold === undefined) return ok(DEFAULT_SETTINGS)
  if (!isThreshold(low_threshold)) {
    return err(`low_threshold is a whole number of credits from 0 to ${LOW_THRESHOLD_MAX}`)
  }
  return ok({ lowThreshold: toCredits(low_threshold) })
}

const isThreshold = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LOW_THRESHOLD_MAX
