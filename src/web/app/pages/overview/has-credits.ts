import type { WebAccount } from '../../../api.ts'

/**
 * Whether the wallet has credits, if only held for a while. A request of no given length locks all of a small balance
 * while it runs: nobody has to buy for that.
 */
export const hasCredits = ({
  credits_remaining,
  locked,
  settling,
  refunding,
}: Pick<WebAccount, 'credits_remaining' | 'locked' | 'settling' | 'refunding'>): boolean =>
  credits_remaining + locked.credits + settling.credits + refunding.credits > 0
