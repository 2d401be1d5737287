/** A set from which one can be drawn by number: add, remove and draw take the same time at any size. */
export class Bag<Item> {
  private readonly items: Item[] = []
  private readonly places = new Map<Item, number>()

  get size(): number {
    return this.items.length
  }

  /** @param place a whole number from 0 up to, and without, `size`; what it names changes */
  at(place: number): Item {
    return this.items[place]!
  }

  add(item: Item): void {
    if (this.places.has(item)) return
    this.places.set(item, this.items.push(item) - 1)
  }

  delete(item: Item): void {
    const place = this.places.get(item)
    if (place === undefined) return
    this.places.delete(item)
    const last = this.items.pop()!
    if (last === item) return
    this.items[place] = last
    this.places.set(last, place)
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.items[Symbol.iterator]()
  }
}
