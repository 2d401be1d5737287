import type { Registry, RegistryEntry } from '../../../src/ports/registry.ts'

/** A registry within one process. Watching is not part of it: who needs it uses a real one. */
export class CursorRegistry implements Registry {
  readonly entries = new Map<string, RegistryEntry>()
  #revision = 0

  async get(key: string): Promise<RegistryEntry | undefined> {
    return this.entries.get(key)
  }

  async put(key: string, value: unknown, revision: number): Promise<number | 'conflict'> {
    if ((this.entries.get(key)?.revision ?? 0) !== revision) return 'conflict'
    await this.set(key, value)
    return this.#revision
  }

  async set(key: string, value: unknown): Promise<void> {
    this.entries.set(key, { value, revision: ++this.#revision })
  }

  async delete(key: string, revision?: number): Promise<'deleted' | 'conflict'> {
    if (revision !== undefined && this.entries.get(key)?.revision !== revision) return 'conflict'
    this.entries.delete(key)
    return 'deleted'
  }

  watch(): Promise<() => void> {
    throw new Error('this registry cannot be watched')
  }
}
