/**
 * How far all deliveries are done, while they end in any order. Blocks are opened in ascending
 * order; `done` is the highest one such that it and all before it are closed.
 */
export interface LowWater {
  /** @returns whether `done` has moved */
  open(block: number, deliveries: number): boolean
  /** One delivery of `block` was taken. @returns whether `done` has moved */
  close(block: number): boolean
  readonly done: number
  /** Deliveries that are open. */
  readonly untaken: number
}

export function makeLowWater(from: number): LowWater {
  const left = new Map<number, number>()
  let done = from
  let untaken = 0
  /** The map keeps the order in which blocks were opened. */
  const move = (): boolean => {
    const before = done
    for (const [block, count] of left) {
      if (count > 0) break
      left.delete(block)
      done = block
    }
    return done !== before
  }
  return {
    open: (block, deliveries) => {
      left.set(block, deliveries)
      untaken += deliveries
      return move()
    },
    close: (block) => {
      left.set(block, (left.get(block) ?? 1) - 1)
      untaken--
      return move()
    },
    get done() {
      return done
    },
    get untaken() {
      return untaken
    },
  }
}
