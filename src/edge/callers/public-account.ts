import { usdgValue } from '../../domain/credits.ts'
import { isoTimestamp } from '../../domain/time.ts'
import type { Balance } from '../../ports/ledger.ts'
import type { Caller } from './auth.ts'

/** The public Account (specification, Resources). */
export const publicAccount = (
  { wallet, keyCreatedAt }: Pick<Caller, 'wallet' | 'keyCreatedAt'>,
  balance: Pick<Balance, 'remaining' | 'lastTopupAt'>,
) => ({
  wallet,
  credits_remaining: Number(balance.remaining),
  usdg_value: usdgValue(balance.remaining),
  last_topup_at: balance.lastTopupAt === null ? null : isoTimestamp(balance.lastTopupAt),
  api_key_created_at: isoTimestamp(keyCreatedAt),
})
