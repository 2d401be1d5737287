import { SECRET_BYTES, webhookSecret } from '../../../../domain/webhook-secret.ts'
import { randomId } from '../../session/random-id.ts'

/** What is typed for a webhook that is not created yet. */
export interface WebhookDraft {
  /** The same for as long as it is being typed. */
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly secret: string
  /** Its owner says that the secret is stored. */
  readonly isStored: boolean
}

export const newDraft = (): WebhookDraft => ({
  id: randomId(),
  url: '',
  events: ['job.completed', 'job.failed', 'credit.low'],
  secret: webhookSecret(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))),
  isStored: false,
})
