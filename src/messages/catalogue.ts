import type { Address } from '../domain/ids.ts'
import type { CatalogueModel } from '../domain/models.ts'

/** What bucket MODELS holds: one whole catalogue, so that no reader ever sees half of a change. */
export interface CatalogueRecord {
  readonly models: readonly CatalogueModel[]
}

/** The registry by its address: a catalogue of other contracts is nobody's catalogue here. */
export const catalogueKey = (contracts: {
  readonly chainId: number
  readonly modelRegistry: Address
}): string => `${contracts.chainId}.${contracts.modelRegistry}`
