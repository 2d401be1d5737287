import type { GasTerms } from '../../../src/chain/writer.ts'

/** What lanes pay where a test does not care. */
export const GAS_TERMS: GasTerms = {
  maxFeeWei: 500_000_000_000n,
  stuckMs: 15_000,
  gasPercent: 100,
}
