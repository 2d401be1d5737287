import type { Registry, RegistryEntry, WatchOptions } from '../../../src/ports/registry.ts'

type Each = Parameters<Registry['watch']>[1]

/** A registry within one process that tells its watchers. `reads` shows what a cache spares. */
export class WatchedRegistry implements Registry {
  reads = 0
  readonly #entries = new Map<string, RegistryEntry>()
  readonly #watchers = new Map<Each, WatchOptions>()
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

  async delete(key: string, revision?: number): Promise<'deleted' | 'conflict'> {
    if (revision !== undefined && this.#entries.get(key)?.revision !== revision) return 'conflict'
    this.#entries.delete(key)
    for (const each of this.#watchers.keys()) each(key, undefined)
    return 'deleted'
  }

  async watch(_filter: string, each: Each, options: WatchOptions = {}): Promise<() => void> {
    if (!options.updatesOnly) for (const [key, entry] of this.#entries) each(key, entry)
    this.#watchers.set(each, options)
    return () => void this.#watchers.delete(each)
  }

  /** As when somebody purges its stream: who watches is told nothing, and revisions go on. */
  purge(): void {
    this.#entries.clear()
  }

  /** All watches end by themselves: who watches is told so, and of no change any more. */
  breakWatches(): void {
    const broken = [...this.#watchers.values()]
    this.#watchers.clear()
    for (const options of broken) options.broken?.()
  }

  #write(key: string, entry: RegistryEntry): number {
    this.#entries.set(key, entry)
    for (const each of this.#watchers.keys()) each(key, entry)
    return entry.revision
  }
}
