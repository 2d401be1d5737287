import type { World } from '../world.ts'

/** One direction of a connection: first in, first out, each after the latency of its moment. */
export class Line {
  #freeAt = 0
  readonly #queue: (() => void)[] = []

  /** @param after whose time it is that passes until something arrives */
  constructor(
    private readonly world: World,
    private readonly after: (ms: number, act: () => void) => void,
  ) {}

  put(act: () => void): void {
    const now = this.world.now()
    this.#freeAt = Math.max(this.#freeAt, now + this.world.faults.latency())
    this.#queue.push(act)
    // Whichever timer fires first, the first of the queue arrives.
    this.after(this.#freeAt - now, () => this.#queue.shift()?.())
  }
}
