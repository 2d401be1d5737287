import type { CatalogueModel } from '../domain/models.ts'

/** The models of the registry on chain, in memory: as last heard, retired ones included. */
export interface Catalogue {
  /** False until a catalogue was heard: nothing can be said of any model. */
  readonly known: boolean
  /** The model of exactly this id; undefined: it was never listed, as far as is known. */
  find(id: string): CatalogueModel | undefined
  /** In the order of their listing. */
  all(): readonly CatalogueModel[]
  /** Calls when the catalogue has become another one. The returned function ends it. */
  onChange(call: () => void): () => void
}

/** The registry on chain. */
export interface ModelReader {
  /** All models, in the order of their listing. @throws {ChainUnavailable} */
  models(): Promise<readonly CatalogueModel[]>
}
