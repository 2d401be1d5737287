import type { DurationMs } from '../../domain/time.ts'
import type { HeldUpBy, LaneHealth } from '../../messages/lane.ts'

/** How one lane fares, as far as an edge has heard. */
export interface LaneStanding {
  readonly heardAt: number
  /** What keeps it from working since when, whichever host has the lane. */
  readonly heldUp: { readonly by: HeldUpBy; readonly since: number } | undefined
  /** Its oldest intent has waited too long, and not come down to half of that since. */
  readonly slow: boolean
}

/** When a lane's troubles are reason enough to take on no new jobs. */
export interface LanePatience {
  readonly heldUpMs: DurationMs
  readonly oldestMs: DurationMs
  readonly silenceMs: DurationMs
}

export type Hindrance = HeldUpBy | 'slow' | 'silent'

export const unheard = (now: number): LaneStanding => ({
  heardAt: now,
  heldUp: undefined,
  slow: false,
})

export function hear(
  before: LaneStanding,
  { heldUp, oldestMs }: LaneHealth,
  patience: LanePatience,
  now: number,
): LaneStanding {
  const slowAbove = before.slow ? patience.oldestMs / 2 : patience.oldestMs
  return {
    heardAt: now,
    heldUp: heldUp
      ? { by: heldUp.by, since: Math.min(before.heldUp?.since ?? now, now - heldUp.forMs) }
      : undefined,
    slow: oldestMs > slowAbove,
  }
}

/** @returns why new jobs are not taken on; undefined: they are */
export function hindranceOf(
  { heardAt, heldUp, slow }: LaneStanding,
  patience: LanePatience,
  now: number,
): Hindrance | undefined {
  if (heldUp && now - heldUp.since > patience.heldUpMs) return heldUp.by
  if (slow) return 'slow'
  return now - heardAt > patience.silenceMs ? 'silent' : undefined
}
