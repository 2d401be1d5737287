import type { DependencyContainer } from 'tsyringe'
import type { ActorsConfig } from '../src/config/schema.ts'
import { serviceNames } from '../src/domain/service-names.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import { countedSender } from './webhook/counted-sender.ts'
import { makeWebhookHost } from './webhook/host.ts'

/** Without the keys that open their secrets there is none. */
export function webhookHost(c: DependencyContainer, config: ActorsConfig) {
  const keys = config.WEBHOOK_SECRET_KEYS
  if (!keys) {
    c.resolve(TOKENS.log).warn(
      'webhooks: WEBHOOK_SECRET_KEYS is not set, so this host makes no webhooks and delivers no ' +
        'events; set it to 64 random hexadecimal digits, the same for all hosts',
    )
    return undefined
  }
  return makeWebhookHost({
    keys,
    webhooks: c.resolve(TOKENS.webhooks),
    mirror: c.resolve(TOKENS.webhookMirror),
    queues: c.resolve(TOKENS.webhookQueues),
    history: c.resolve(TOKENS.deliveryHistory),
    facts: c.resolve(TOKENS.factReader),
    sender: countedSender(c.resolve(TOKENS.webhookSender), c.resolve(TOKENS.metrics)),
    schedule: config.WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * 1_000),
    names: serviceNames(config.SERVICE_PREFIX),
    targets: c.resolve(TOKENS.webhookTargets),
    bus: c.resolve(TOKENS.bus),
    clock: c.resolve(TOKENS.clock),
    log: c.resolve(TOKENS.log),
  })
}
