import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import { webhookRequests } from '../../../actors/webhook/requests.ts'
import { makeSecrets } from '../../../actors/webhook/secrets.ts'
import { makeWebhookService } from '../../../actors/webhook/service.ts'
import { makeGuard } from '../../../src/outbound/guard.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { MemoryRegistry } from '../memory-registry.ts'

interface Options {
  readonly bus: Bus
  readonly registry?: Registry
  /** Where each name leads; one that is not there does not resolve. */
  readonly names?: Readonly<Record<string, readonly string[]>>
}

const NAMES = {
  'example.com': ['93.184.216.34'],
  'inside.example.com': ['10.0.0.7'],
} as const

/** The webhook service of one host, on any bus. */
export function makeWebhookHouse({ bus, registry = new MemoryRegistry(), names = NAMES }: Options) {
  const known: Readonly<Record<string, readonly string[]>> = names
  const records = makeWebhookRecords(registry)
  const secrets = makeSecrets([new Uint8Array(32).fill(1)], systemClock)
  const targets = makeGuard({ devTargets: false, resolve: async (host) => known[host] ?? [] })
  const handlers = webhookRequests({ records, secrets, targets, clock: systemClock })
  const service = makeWebhookService({ handlers, bus, log: makeLog('test', 'silent') })
  return { ...service, records, secrets, registry }
}
