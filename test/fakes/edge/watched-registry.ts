import type { Registry, RegistryEntry } from '../../../src/ports/registry.ts'

/** A registry within one process that tells its watchers. `reads` shows what a cache spares. */
export class WatchedRegistry implements Registry {
  reads = 0
  readonly #entries = new Map<string, RegistryEntry>()
  readonly #watchers = new Set<(key: string, entry: RegistryEntry | undefined) => void>()
  #revision = 0

  async get(key: string): Promise<RegistryEntry | undefined> {
    this.reads++
    return this.#entries.get(key)
  }

  async put(key: string, value: unknown, revision: number): Promise<number | 'conflict'> {
    if ((this.#entries.get(key)?.revision ?? 0) !== revision) return 'conflict'
    return this.#write(key, { value, revision: ++this.#revision })
  }

  async set(key: string, value: unknown): Promise<void> {
    this.#write(key, { value, revision: ++this.#revision })
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key)
    for (const each of this.#watchers) each(key, undefined)
  }

  async watch(
    _filter: string,
    each: (key: string, entry: RegistryEntry | undefined) => void,
    options?: { updatesOnly?: boolean },
  ): Promise<() => void> {
    if (!options?.updatesOnly) for (const [key, entry] of this.#entries) each(key, entry)
    this.#watchers.add(each)
    return () => void this.#watchers.delete(each)
  }

  #write(key: string, entry: RegistryEntry): number {
    this.#entries.set(key, entry)
    for (const each of this.#watchers) each(key, entry)
    return entry.revision
  }
}
