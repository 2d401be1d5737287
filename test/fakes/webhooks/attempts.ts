import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Attempt } from '../../../src/messages/webhook.ts'

export const WALLET = toAddress(`0x${'aa'.repeat(20)}`)
export const WEBHOOK = { wallet: WALLET, webhookId: `wh_${'a'.repeat(24)}` }
export const NOW = 1_800_000_000_000

/** An attempt that was answered with 200 and nothing, but for what is said otherwise. */
export const attemptOf = (event: number, more: Partial<Attempt> = {}): Attempt => ({
  ...WEBHOOK,
  eventId: `evt_${String(event).padStart(32, '0')}`,
  eventType: 'credit.topup',
  cause: 'event',
  round: 0,
  attempt: 1,
  at: toUnixMs(NOW + event),
  latencyMs: 5,
  status: 200,
  error: null,
  answerStart: '',
  delivered: true,
  nextAt: null,
  earlier: [],
  body: `{"id":${event}}`,
  ...more,
})

export const retried = { status: 500, delivered: false, nextAt: toUnixMs(NOW + 30_000) } as const
export const failedForGood = { status: 500, delivered: false, nextAt: null } as const
