export interface Event {
  readonly at: number
  readonly act: () => void
}

interface Slot {
  at: number
  order: number
  act: (() => void) | undefined
}

/** What is still to come, earliest first; of one moment, in the order in which it was put. */
export interface EventQueue {
  /** @returns what takes it out again */
  push(at: number, act: () => void): () => void
  /** The next one, where it comes no later than `until`. */
  pop(until: number): Event | undefined
}

export function makeQueue(): EventQueue {
  const heap: Slot[] = []
  let order = 0
  const isBefore = (a: Slot, b: Slot) => a.at < b.at || (a.at === b.at && a.order < b.order)

  const raise = (slot: Slot, from: number) => {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(slot, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = slot
  }
  const sink = (slot: Slot) => {
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, slot)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = slot
  }

  return {
    push: (at, act) => {
      const slot: Slot = { at, order: order++, act }
      heap.push(slot)
      raise(slot, heap.length - 1)
      return () => {
        slot.act = undefined
      }
    },
    pop: (until) => {
      for (let first = heap[0]; first && first.at <= until; first = heap[0]) {
        const last = heap.pop()!
        if (heap.length > 0) sink(last)
        const { act } = first
        first.act = undefined
        if (act) return { at: first.at, act }
      }
      return undefined
    },
  }
}
