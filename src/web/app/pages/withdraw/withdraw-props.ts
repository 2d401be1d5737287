import type { WebConfig } from '../../../api.ts'
import type { OwnCredits } from '../../chain/own-credits.ts'

export interface FromWallet {
  readonly wallet: `0x${string}`
  readonly web: WebConfig
}

/** What both ways of withdrawing need. */
export interface WithdrawProps extends FromWallet {
  readonly account: OwnCredits
}

/** Whether credits are known to wait for a withdrawal without us. */
export const isSetAside = ({ thawing }: OwnCredits): boolean =>
  thawing !== null && thawing.credits > 0
