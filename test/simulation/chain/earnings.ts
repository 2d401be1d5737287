/**
 * What somebody has earned, in token units, as the contract holds it back: windows are as long as a
 * dispute may be opened, and what was earned in the latest two can still be contested.
 */
export interface Held {
  readonly latest: bigint
  readonly previous: bigint
  readonly due: bigint
  /** The number of the latest window that was looked at. */
  readonly window: number
}

export const NOTHING_HELD: Held = { latest: 0n, previous: 0n, due: 0n, window: 0 }

export function rolled(held: Held, window: number): Held {
  const passed = window - held.window
  if (passed === 0) return held
  const due = held.due + held.previous + (passed === 1 ? 0n : held.latest)
  return { latest: 0n, previous: passed === 1 ? held.latest : 0n, due, window }
}

/** Takes back what was earned in `window`: the one that `held` stands at, or the one before. */
export function taken(held: Held, window: number, units: bigint): Held {
  const left =
    window === held.window
      ? { ...held, latest: held.latest - units }
      : { ...held, previous: held.previous - units }
  if (left.latest < 0n || left.previous < 0n) throw new Error('earnings: more taken than there is')
  return left
}

export const totalOf = ({ latest, previous, due }: Held): bigint => latest + previous + due
