import type { Address } from '../../domain/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Canaries } from '../canary/canaries.ts'
import { withAwaited } from '../canary/standing.ts'
import type { Demand } from '../placement/demand.ts'
import type { Placements } from '../placement/placement.ts'

const TICK_MS = 1_000
/** Each worker hears of its standing once in so many ticks, even where nothing changed. */
const TURNS = 5

/**
 * Tells workers how they stand: a fifth of them each second, so that thousands do not come in one
 * burst, and those whose standing changed in the second in which it did.
 */
export class StandingPublisher {
  private readonly changed = new Set<Address>()
  private turn = 0
  readonly stop: () => void

  constructor(
    private readonly placements: Placements,
    private readonly canaries: Canaries | undefined,
    private readonly demand: Demand,
    /** Of rests: it is not set. */
    private readonly clock: Clock,
    /** That workers hear: by it they are told until when they rest. */
    private readonly time: Pick<Clock, 'now'>,
  ) {
    this.stop = clock.every(TICK_MS, () => this.tick())
  }

  soon(address: Address): void {
    this.changed.add(address)
  }

  private tick(): void {
    const { placements, canaries, demand, clock, time } = this
    this.turn = (this.turn + 1) % TURNS
    const due = placements
      .all()
      .filter(({ address }, i) => i % TURNS === this.turn || this.changed.has(address))
    this.changed.clear()
    if (due.length === 0) return
    const at = clock.now()
    const aheadMs = time.now() - at
    const standing = placements.standings((model) => demand.lastMinute(model, at), at)
    for (const session of due) {
      const known = standing(session.address)
      if (!known) continue
      const seen = withAwaited(known, canaries?.awaitedBy(session.address) ?? [], at)
      const restingUntil = seen.restingUntil && seen.restingUntil + aheadMs
      session.send({ $case: 'standing', value: { ...seen, restingUntil } })
    }
  }
}
