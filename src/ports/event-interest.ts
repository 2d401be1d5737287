import type { Address } from '../domain/ids.ts'

/** For whose events anybody asks. Costs a look into memory, so that it can be asked at each job. */
export interface EventInterest {
  /**
   * Whether the wallet has a webhook, failed or not, or somebody listens to it now. True as well
   * while that is not known: at start, and after a cut, until all was heard again.
   */
  of(wallet: Address): boolean
  stop(): void
}
