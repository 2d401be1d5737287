import type { WebAccount, WebConfig } from '../../../api.ts'

/** What both ways of withdrawing need. */
export interface WithdrawProps {
  readonly wallet: `0x${string}`
  readonly web: WebConfig
  readonly account: WebAccount
}

/** Whether credits are known to wait for a withdrawal without us. */
export const isSetAside = ({ thawing }: WebAccount): boolean =>
  thawing !== null && thawing.credits > 0
