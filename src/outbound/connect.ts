import type { Clock } from '../ports/clock.ts'
import type { WebhookSender, WebhookTargets } from '../ports/webhook-sender.ts'
import { makeGuard } from './guard.ts'
import { makeResolver } from './resolver.ts'
import { makeWebhookSender } from './sender.ts'
import type { TargetRules } from './target.ts'

interface Options extends TargetRules {
  readonly clock: Clock
}

/** The way out to strangers' endpoints. */
export function openOutbound({ clock, ...rules }: Options): {
  readonly targets: WebhookTargets
  readonly sender: WebhookSender
} {
  const guard = makeGuard({ resolve: makeResolver(), ...rules })
  return { targets: guard, sender: makeWebhookSender({ guard, clock }) }
}
