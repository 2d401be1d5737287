import type { DurationMs } from '../../src/domain/time.ts'
import type { Kernel } from './kernel.ts'
import type { Full, SimNats } from './nats/server.ts'
import type { Refusal, SimRedis } from './redis/server.ts'

interface Options {
  readonly nats: SimNats
  readonly redis: SimRedis
  readonly withinMs: DurationMs
}

/** In some lives servers take no writes for a while. */
const SHORTAGES = 0.12
const MOST = 3
const LASTS_MS = [100, 8_000] as const
/** A limit of the server is the one that `nats.conf` sets; one of a stream somebody has set by hand. */
const FULL: readonly Full[] = ['server', 'server', 'server', 'JOB', 'TX', 'FACT', 'HOOK']
const REFUSALS: readonly Refusal[] = ['OOM', 'OOM at times', 'OOM at times', 'MISCONF']

/** Servers that have no room left, and are given some: all that is asked of them is answered, and nothing is kept. */
export function planShortages(kernel: Kernel, { nats, redis, withinMs }: Options): void {
  const { random, history } = kernel
  if (!random.chance(SHORTAGES)) return
  const ofRedis = random.chance(0.5)
  for (let n = random.few(1, MOST); n > 0; n--) {
    const at = random.next() * withinMs
    // When the world heals there is room.
    const until = Math.min(withinMs, at + random.between(...LASTS_MS))
    const [full, refusal] = [random.pick(FULL), random.pick(REFUSALS)]
    kernel.after(at, () => {
      history.add('world', ofRedis ? `redis says ${refusal}` : `nats is full: ${full}`)
      if (ofRedis) redis.refusal = refusal
      else nats.full = full
    })
    kernel.after(until, () => {
      history.add('world', `${ofRedis ? 'redis' : 'nats'} takes writes`)
      redis.refusal = undefined
      nats.full = undefined
    })
  }
}
