import { POOL_SILENCE_MS, type PoolSummary } from '../../src/messages/pool.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import { Presence } from '../../src/runtime/presence.ts'

/** How long pools that are asked for a summary have for it. */
const ANSWER_MS = 100
/** Until the first token, where a pool has not measured any. */
const UNMEASURED_MS = 100
/** A share of finished jobs below this says no more. */
const COMPLETION_RATE_MIN = 0.05

/** The pools as their summaries tell: where to offer a job, and which pool has gone. */
export class Pools {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #presence: Presence
  readonly #summaries = new Map<string, PoolSummary>()
  #stops: (() => void)[] = []

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus
    this.#clock = clock
    this.#presence = new Presence({ bus, clock, silenceMs: POOL_SILENCE_MS })
  }

  /** Resolves once the pools that live have had the time to answer. */
  async start(): Promise<void> {
    this.#presence.start()
    const subscription = this.#bus.subscribe(SUBJECTS.poolSummary, (message) => {
      const summary = message as PoolSummary
      this.#presence.heard(summary.poolId)
      this.#summaries.set(summary.poolId, summary)
    })
    const forget = this.#clock.every(POOL_SILENCE_MS, () => {
      for (const poolId of this.#summaries.keys()) {
        if (this.isGone(poolId)) this.#summaries.delete(poolId)
      }
    })
    this.#stops = [() => subscription.unsubscribe(), forget, () => this.#presence.stop()]
    this.#bus.publish(SUBJECTS.poolsAsk, null)
    await pause(this.#clock, ANSWER_MS)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  isGone(poolId: string): boolean {
    return this.#presence.isGone(poolId)
  }

  /**
   * Power of two choices: of two draws from the pools that serve the model, the better one. Both may be the
   * same pool: summaries are always a little old, and of two pools the better must not get all.
   */
  choose(model: string, excludePools: readonly string[], contextAbove = -1): string | undefined {
    const serving = [...this.#summaries.values()].filter(
      (summary) =>
        !summary.draining &&
        (summary.models[model]?.workers ?? 0) > 0 &&
        (summary.models[model]?.contextWindow ?? 0) > contextAbove &&
        !excludePools.includes(summary.poolId) &&
        !this.isGone(summary.poolId),
    )
    const first = this.#draw(serving)
    const second = this.#draw(serving)
    if (!first || !second) return undefined
    return cost(first, model) <= cost(second, model) ? first.poolId : second.poolId
  }

  #draw(from: readonly PoolSummary[]): PoolSummary | undefined {
    if (from.length <= 1) return from[0]
    const [a, b] = this.#clock.randomBytes(2)
    return from[((a! << 8) | b!) % from.length]
  }
}

/** As a pool weighs its workers, over all that it has. */
function cost(summary: PoolSummary, model: string): number {
  const load = summary.models[model]
  if (!load || load.slots === 0) return Number.POSITIVE_INFINITY
  const pressure = 1 + (load.busy + load.queued) / load.slots
  return (
    (pressure * (load.firstTokenMs ?? UNMEASURED_MS)) /
    Math.max(load.completionRate, COMPLETION_RATE_MIN)
  )
}
