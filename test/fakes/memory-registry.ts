import type { Registry, RegistryEntry } from '../../src/ports/registry.ts'

/** Small records in memory. Nobody watches them. */
export class MemoryRegistry implements Registry {
  readonly entries = new Map<string, RegistryEntry>()
  /** How many of the next writes fail. */
  failures = 0

  async get(key: string): Promise<RegistryEntry | undefined> {
    return this.entries.get(key)
  }

  async put(key: string, value: unknown, revision: number): Promise<number | 'conflict'> {
    if ((this.entries.get(key)?.revision ?? 0) !== revision) return 'conflict'
    await this.set(key, value)
    return revision + 1
  }

  async set(key: string, value: unknown): Promise<void> {
    if (this.failures-- > 0) throw new Error('the registry does not answer')
    this.entries.set(key, { value, revision: (this.entries.get(key)?.revision ?? 0) + 1 })
  }

  async delete(key: string, revision?: number): Promise<'deleted' | 'conflict'> {
    if (revision !== undefined && this.entries.get(key)?.revision !== revision) return 'conflict'
    this.entries.delete(key)
    return 'deleted'
  }

  async watch(): Promise<() => void> {
    return () => {}
  }
}
