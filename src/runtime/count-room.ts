import type { ServerRoom } from '../ports/server-room.ts'
import type { Metrics } from '../telemetry/metrics.ts'

interface Options {
  readonly metrics: Metrics
  readonly nats: () => Promise<ServerRoom>
  readonly redis: () => Promise<ServerRoom>
  /** Whether Redis takes a write now. */
  readonly redisWrites: () => Promise<boolean>
}

/**
 * How full the two servers are that refuse every write once they are. They are asked when somebody reads
 * the figures; one that does not answer has none, which /readyz tells of.
 */
export function countRoom({ metrics, nats, redis, redisWrites }: Options): void {
  const labels = ['what'] as const
  metrics.gauge(
    {
      name: 'svc_nats_file_store_bytes',
      help: 'used: what streams and buckets take of the disk of each NATS server. max: NATS_MAX_FILE_STORE_GB.',
      labels,
    },
    () => told(nats),
  )
  metrics.gauge(
    {
      name: 'svc_redis_memory_bytes',
      help: 'used: what counts against maxmemory. max: maxmemory, where there is one.',
      labels,
    },
    () => told(redis),
  )
  metrics.gauge(
    {
      name: 'svc_redis_takes_writes',
      help: '1: Redis takes writes. 0: it answers, and refuses each.',
    },
    () => redisWrites().then(Number, () => undefined),
  )
}

async function told(ask: () => Promise<ServerRoom>): Promise<ReadonlyMap<string, number>> {
  try {
    const { used, max } = await ask()
    const bytes = new Map([['used', used]])
    return max === undefined ? bytes : bytes.set('max', max)
  } catch {
    return new Map()
  }
}
