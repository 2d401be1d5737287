import type { Result } from '../domain/result.ts'
import type { DurationMs } from '../domain/time.ts'

/** Sends deliveries to the endpoints of webhooks, which belong to strangers. */
export interface WebhookSender {
  /**
   * Makes one attempt: checks the target, connects to the address that was checked, and waits at most
   * 10 s for the whole answer. Follows no redirect. What goes wrong is in the answer; never throws.
   */
  send(post: WebhookPost): Promise<WebhookAnswer>
  /** Cuts what is under way. */
  close(): Promise<void>
}

export interface WebhookPost {
  readonly url: string
  /** As they go out: those of the signature, see src/domain/webhook-signature.ts. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, to the byte. */
  readonly body: string
}

export interface WebhookAnswer {
  /** True where the endpoint answered with a status of 2xx in time. */
  readonly delivered: boolean
  /** The HTTP status; null: there was no whole answer, and `error` says why. */
  readonly status: number | null
  /** For the owner of the webhook: what was wrong. Null where it was delivered. */
  readonly error: string | null
  /** The first bytes of the answer, at most 1 KiB, as text. */
  readonly answerStart: string
  readonly latencyMs: DurationMs
}

/** Which URLs a webhook may have. */
export interface WebhookTargets {
  /** @returns the reason for which this cannot be the URL of a webhook, for who chose it */
  check(url: string): Promise<Result<void, string>>
}
