import { TIER_PRICES } from '../../domain/tiers.ts'
import { isoTimestamp } from '../../domain/time.ts'
import type { LiveModel } from './pools.ts'

/**
 * The public Model (specification, Resources).
 * @param object what the network's data of it are called
 */
export function publicModel<Name extends string>(live: LiveModel, object: Name) {
  const { id, created, publisher } = live.model
  const extra = { [object]: liveData(live) } as Record<Name, ReturnType<typeof liveData>>
  return { id, object: 'model', created, owned_by: publisher, ...extra }
}

function liveData(live: LiveModel) {
  const { tier, parameters, retiresAt } = live.model
  const price = TIER_PRICES[tier]
  return {
    tier,
    credits_per_request: Number(price.perRequest),
    credits_per_1k_tokens: Number(price.per1kTokens),
    active_workers: live.activeWorkers,
    // The field is a whole number: 0 says that nothing was measured yet.
    median_latency_ms: Math.round(live.firstTokenMs() ?? 0),
    parameters,
    context_window: live.contextWindow,
    // Beyond the specification's fields, and only where there is something to announce.
    ...(retiresAt !== null && { retires_at: isoTimestamp(retiresAt) }),
  }
}
