import { POOL_SILENCE_MS, type PoolSummary } from '../../src/messages/pool.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'

interface Seen {
  readonly summary: PoolSummary
  readonly at: number
}

/** The pools as their summaries tell: where to offer a job, and which pool has gone. */
export class Pools {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #seen = new Map<string, Seen>()
  #stop: () => void = () => {}

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus
    this.#clock = clock
  }

  /** Resolves once the pools that live have had the time to answer. */
  async start(): Promise<void> {
    const subscription = this.#bus.subscribe(SUBJECTS.poolSummary, (message) => {
      const summary = message as PoolSummary
      this.#seen.set(summary.poolId, { summary, at: this.#clock.monotonic() })
    })
    this.#stop = () => subscription.unsubscribe()
    this.#bus.publish(SUBJECTS.poolsAsk, null)
    await new Promise<void>((resolve) => {
      this.#clock.after(100, resolve)
    })
  }

  stop(): void {
    this.#stop()
  }

  /** True when nothing was heard of the pool for POOL_SILENCE_MS. */
  isGone(poolId: string): boolean {
    const seen = this.#seen.get(poolId)
    if (!this.#bus.connected) return false // we cannot tell
    return !seen || this.#clock.monotonic() - seen.at > POOL_SILENCE_MS
  }

  /**
   * Power of two choices: of two pools drawn at random that serve the model, the better one. Less
   * herding than the best of all, as summaries are always a little old.
   */
  choose(model: string, excludePools: readonly string[]): string | undefined {
    const serving = [...this.#seen.values()].filter(
      ({ summary }) =>
        !summary.draining &&
        (summary.models[model]?.workers ?? 0) > 0 &&
        !excludePools.includes(summary.poolId) &&
        !this.isGone(summary.poolId),
    )
    const first = this.#draw(serving)
    const second = this.#draw(serving)
    if (!first || !second) return undefined
    return cost(first.summary, model) <= cost(second.summary, model)
      ? first.summary.poolId
      : second.summary.poolId
  }

  #draw(from: readonly Seen[]): Seen | undefined {
    if (from.length <= 1) return from[0]
    const [a, b] = this.#clock.randomBytes(2)
    return from[((a! << 8) | b!) % from.length]
  }
}

/** Expected wait: load weighed by how soon answers begin and how often they come at all. */
function cost(summary: PoolSummary, model: string): number {
  const load = summary.models[model]
  if (!load || load.slots === 0) return Number.POSITIVE_INFINITY
  const pressure = 1 + (load.busy + load.queued) / load.slots
  return (pressure * (load.firstTokenMs ?? 100)) / Math.max(load.completionRate, 0.05)
}
