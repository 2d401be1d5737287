import { keepNewest } from '../../src/domain/newest.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { WebhookRefusal } from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** One a second: more than anybody presses. */
const TESTS_MOST = 60
const WITHIN_MS: DurationMs = 60_000
/** Of one that is forgotten the count begins anew. */
const WEBHOOKS_MOST = 10_000

/**
 * How fast one webhook is sent test events, by this process: a button that makes us call any address is no tool to
 * flood it with.
 */
export class TestPace {
  /** When the newest were sent, oldest first, by webhook. */
  readonly #sent = new Map<string, readonly number[]>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** One more. @returns why it must wait */
  take(webhookId: string): WebhookRefusal | undefined {
    const now = this.#clock.monotonic()
    const recent = (this.#sent.get(webhookId) ?? []).filter((at) => now - at < WITHIN_MS)
    if (recent.length >= TESTS_MOST) return TOO_FAST
    keepNewest(this.#sent, webhookId, [...recent, now], WEBHOOKS_MOST)
    return undefined
  }
}

const TOO_FAST: WebhookRefusal = {
  code: 'rate_limited',
  message: `This webhook was sent ${TESTS_MOST} test events within a minute. Send the next one a little later.`,
  param: null,
}
