import { NONCE_BYTES, open, type SealingKeys, seal } from '../../src/domain/sealed.ts'
import type { WebhookRecord } from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** The secrets that deliveries are signed with: kept sealed, open only while one is used. */
export interface Secrets {
  seal(webhookId: string, secret: string): string
  /** @throws none of this host's keys opens it */
  open(webhook: Pick<WebhookRecord, 'id' | 'sealedSecret'>): string
}

export const makeSecrets = (keys: SealingKeys, clock: Pick<Clock, 'randomBytes'>): Secrets => ({
  seal: (webhookId, secret) => seal(keys, webhookId, secret, clock.randomBytes(NONCE_BYTES)),
  open: ({ id, sealedSecret }) => open(keys, id, sealedSecret),
})
