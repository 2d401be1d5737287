import type { World } from '../world.ts'
import { wrongLastSequence } from './stream.ts'
import { matcherOf } from './subjects.ts'

export interface BucketEntry {
  readonly key: string
  readonly value: Uint8Array
  readonly revision: number
  readonly operation: 'PUT' | 'DEL'
}

interface Watch {
  readonly matches: (key: string) => boolean
  /** Up to which revision it was told. */
  told: number
  /** The newest revision that came through: what was on its way when a cut began did not. */
  arrived(): number
  isCut(): boolean
  isGone(): boolean
  each(entry: BucketEntry, left: number): void
}

const AFTER_A_CUT_MS = 300

/** One key-value bucket on the server: the last value of each key. */
export class SimBucket {
  readonly entries = new Map<string, BucketEntry>()
  readonly #world: World
  readonly #room: () => void
  #revision = 0
  #newest: BucketEntry | undefined
  #watches: Watch[] = []

  /** @param room throws where there is none */
  constructor(world: World, room: () => void = () => {}) {
    this.#world = world
    this.#room = room
  }

  get revision(): number {
    return this.#revision
  }

  /** @param expected the key's last revision; undefined: whatever it is */
  write(entry: Pick<BucketEntry, 'key' | 'value' | 'operation'>, expected?: number): number {
    const known = this.entries.get(entry.key)
    const last = known?.revision ?? 0
    // A deleted key may be created anew.
    const fits = expected === last || (expected === 0 && known?.operation === 'DEL')
    if (expected !== undefined && !fits) throw wrongLastSequence(last)
    this.#room()
    const revision = ++this.#revision
    // To the end: the map is in the order of revisions.
    this.entries.delete(entry.key)
    this.#newest = { ...entry, revision }
    this.entries.set(entry.key, this.#newest)
    for (const watch of this.#watches) this.#tell(watch)
    return revision
  }

  /** Somebody purges its stream: who watches is told nothing, and revisions go on. */
  purge(): void {
    this.entries.clear()
  }

  /** @returns what to call when a cut has ended: an ordered consumer notices its gaps, and begins anew */
  watch(pattern: string, watch: Omit<Watch, 'matches'>): () => void {
    const whole = { ...watch, matches: matcherOf(pattern) }
    this.#watches = [...this.#watches.filter((each) => !each.isGone()), whole]
    this.#tell(whole)
    return () => this.#tellLost(whole)
  }

  #tellLost(watch: Watch): void {
    const arrived = watch.arrived()
    const isLost = ({ key, revision }: BucketEntry) =>
      revision > arrived && revision <= watch.told && watch.matches(key)
    if (watch.isGone() || ![...this.entries.values()].some(isLost)) return
    this.#world.after(AFTER_A_CUT_MS, () => {
      // From the gap on, even where something newer has come through since.
      watch.told = Math.min(watch.told, arrived)
      this.#tell(watch)
    })
  }

  /** Who is cut off hears the rest once it is there again; of each key only the newest. */
  #tell(watch: Watch): void {
    if (watch.isGone()) return
    if (watch.isCut()) {
      this.#world.after(AFTER_A_CUT_MS, () => this.#tell(watch))
      return
    }
    const { told } = watch
    watch.told = this.#revision
    const newest = this.#newest
    if (newest && told === this.#revision - 1) {
      if (watch.matches(newest.key)) watch.each(newest, 0)
      return
    }
    const news = [...this.entries.values()].filter(
      ({ key, revision }) => revision > told && watch.matches(key),
    )
    for (const [i, entry] of news.entries()) watch.each(entry, news.length - 1 - i)
  }
}
