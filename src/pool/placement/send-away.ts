import type { DurationMs } from '../../domain/time.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Placements } from './placement.ts'

const LOOK_MS = 50

/**
 * Sends the workers of a pool elsewhere. Those that can be at two pools work on here until they are
 * welcome there, so that at no moment there is nobody: of all pools, this may be the last that has any.
 */
export async function sendAway(
  placements: Placements,
  clock: Clock,
  spanMs: DurationMs,
): Promise<void> {
  for (const session of placements.all()) {
    session.send({ $case: 'drain', value: { reason: 'the pool shuts down' } })
  }
  const until = clock.monotonic() + spanMs
  while (placements.hasWorkers && clock.monotonic() < until) await pause(clock, LOOK_MS)
}
