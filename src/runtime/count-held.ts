import type { Bus } from '../ports/bus.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Ownership, ResourceKind } from './ownership.ts'

interface Options {
  readonly metrics: Metrics
  readonly bus: Pick<Bus, 'connected'>
  readonly kinds: readonly Pick<ResourceKind, 'kind' | 'names'>[]
  readonly ownership: Pick<Ownership, 'holds'>
}

/** A host that NATS does not reach may have lost all that it holds, and cannot be told so. */
export function countHeld({ metrics, bus, kinds, ownership }: Options): void {
  const help =
    'Partitions, lanes and the like that this host runs; none while it is cut off from NATS.'
  const works = (name: string) => bus.connected && ownership.holds(name)
  metrics.gauge({ name: 'svc_resources_held', help, labels: ['kind'] }, () => {
    const counts = new Map<string, number>()
    for (const { kind, names } of kinds) {
      counts.set(kind, (counts.get(kind) ?? 0) + names.filter(works).length)
    }
    return counts
  })
}
