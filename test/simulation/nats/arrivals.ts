/** What arrives one by one, to be read in a loop that may end early: the client's iterators. */
export class Arrivals<T> implements AsyncIterableIterator<T> {
  #items: T[] = []
  #ended = false
  #received = 0
  #waiting: ((result: IteratorResult<T>) => void) | undefined
  readonly #onEnd: () => void

  constructor(onEnd: () => void = () => {}) {
    this.#onEnd = onEnd
  }

  push(item: T): void {
    if (this.#ended) return
    this.#received++
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) waiting({ done: false, value: item })
    else this.#items.push(item)
  }

  /** Those that have arrived are still read. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }

  get ended(): boolean {
    return this.#ended
  }

  next(): Promise<IteratorResult<T>> {
    const item = this.#items.shift()
    if (item !== undefined) return Promise.resolve({ done: false, value: item })
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  return(): Promise<IteratorResult<T>> {
    this.stop()
    return Promise.resolve({ done: true, value: undefined })
  }

  stop(): void {
    this.#items = []
    this.end()
  }

  getReceived(): number {
    return this.#received
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
