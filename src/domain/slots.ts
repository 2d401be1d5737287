/**
 * What waits for a moment, by a number that is its own until it is taken out. As a Map, and cheaper where entries
 * come and go all the time: a Map that is old moves to a new table again and again, and until all memory is
 * collected the tables that it left keep what was in them, so that all of it grows old. Each has a time, on
 * whatever clock, until which it waits.
 */
export class Slots<T extends { readonly until: number }> {
  private readonly kept: (T | undefined)[] = []
  private readonly free: number[] = []

  /** @returns its number, which was another's before */
  add(value: T): number {
    const slot = this.free.pop() ?? this.kept.length
    this.kept[slot] = value
    return slot
  }

  get(slot: number): T | undefined {
    return this.kept[slot]
  }

  /** Out of it, if it is there. */
  take(slot: number): T | undefined {
    const value = this.kept[slot]
    if (value === undefined) return undefined
    this.kept[slot] = undefined
    this.free.push(slot)
    return value
  }

  /** Takes out whose time is over. @returns them, and when the next one's will be; undefined: none waits */
  takeLate(now: number): { readonly late: readonly T[]; readonly next: number | undefined } {
    const late: T[] = []
    let next: number | undefined
    for (const [slot, value] of this.entries()) {
      if (value.until > now) next = Math.min(value.until, next ?? value.until)
      else {
        this.take(slot)
        late.push(value)
      }
    }
    return { late, next }
  }

  /** All that wait, in no order, by their numbers. */
  *entries(): Generator<[number, T]> {
    for (const [slot, value] of this.kept.entries()) {
      if (value !== undefined) yield [slot, value]
    }
  }
}
