import { creditsToUnits, type TokenUnits } from '../../domain/credits.ts'
import type { ChainSolvency } from '../../ports/network-chain.ts'
import type { Solvency } from '../api.ts'
import { usdgOf } from './amounts.ts'

/** What is owed, against what is there. */
export function publicSolvency(told: ChainSolvency): Solvency {
  const { accounts, locks, earnings, treasury, disputed, held } = told
  const owed = creditsToUnits(accounts) + creditsToUnits(locks) + earnings + treasury + disputed
  return {
    accounts_credits: Number(accounts),
    locks_credits: Number(locks),
    earnings_usdg: usdgOf(earnings),
    treasury_usdg: usdgOf(treasury),
    disputed_usdg: usdgOf(disputed),
    contract_usdg: usdgOf(held),
    surplus_usdg: usdgOf((held - owed) as TokenUnits),
    block_number: told.block,
  }
}
