import type { HeldUpBy, LaneHealth } from '../../src/messages/lane.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** What holds a lane up at this moment. */
export interface Troubles {
  /** @returns the end of it; called again, it changes nothing */
  begin(by: HeldUpBy): () => void
  /** The one that has lasted longest. */
  heldUp(): LaneHealth['heldUp']
}

/** @param changed the first one began, or the last one ended */
export function makeTroubles(clock: Clock, changed: () => void): Troubles {
  /** In the order in which they began. */
  const open = new Set<{ readonly by: HeldUpBy; readonly since: number }>()
  return {
    begin: (by) => {
      const trouble = { by, since: clock.monotonic() }
      open.add(trouble)
      if (open.size === 1) changed()
      return () => {
        if (open.delete(trouble) && open.size === 0) changed()
      }
    },
    heldUp: () => {
      const [oldest] = open
      if (!oldest) return null
      return { by: oldest.by, forMs: Math.round(clock.monotonic() - oldest.since) }
    },
  }
}
