import { type CatalogueModel, LAUNCH_LINEUP } from '../../src/domain/models.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { Catalogue } from '../../src/ports/catalogue.ts'

const LISTED_AT = toUnixMs(Date.UTC(2026, 0, 1))

/** The launch lineup as a registry has it that nobody has voted on. */
export const LINEUP: readonly CatalogueModel[] = LAUNCH_LINEUP.map((model) => ({
  ...model,
  listedAt: LISTED_AT,
  retiresAt: null,
}))

/** A catalogue that a test writes; undefined: none was heard. */
export class MemoryCatalogue implements Catalogue {
  #models: readonly CatalogueModel[] | undefined = LINEUP
  readonly #listeners = new Set<() => void>()

  get known(): boolean {
    return this.#models !== undefined
  }
  find = (id: string) => this.#models?.find((model) => model.id === id)
  all = () => this.#models ?? []

  onChange(call: () => void): () => void {
    this.#listeners.add(call)
    return () => void this.#listeners.delete(call)
  }

  set(models: readonly CatalogueModel[] | undefined): void {
    this.#models = models
    for (const call of this.#listeners) call()
  }

  /** Adds a model, or changes one. */
  change(model: Partial<CatalogueModel> & Pick<CatalogueModel, 'id'>): void {
    const before = this.find(model.id)
    if (before) {
      this.set(this.all().map((each) => (each === before ? { ...before, ...model } : each)))
    } else {
      this.set([...this.all(), { ...LINEUP[0]!, ...model }])
    }
  }
}
