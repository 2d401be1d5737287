import type { WebAccount, WebConfig } from '../../../api.ts'

/** What both ways of withdrawing need. */
export interface WithdrawProps {
  readonly wallet: `0x${string}`
  readonly web: WebConfig
  readonly account: WebAccount
}
