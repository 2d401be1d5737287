import { distance } from 'fastest-levenshtein'
import { type CatalogueModel, modelStatus } from '../../domain/models.ts'
import type { UnixMs } from '../../domain/time.ts'
import type { Catalogue } from '../../ports/catalogue.ts'

/** So many letters may be wrong, left out or too many. */
const SLIPS_MAX = 2
/** A longer one is no slip of anybody's, and would cost time. */
const ID_MAX = 100

/** The model that was probably meant by an id that none has: another case, no publisher, or a slip. */
export function meantModel(
  catalogue: Catalogue,
  id: string,
  at: UnixMs,
): CatalogueModel | undefined {
  if (id.length > ID_MAX) return undefined
  const said = id.toLowerCase()
  return catalogue
    .all()
    .filter((model) => modelStatus(model, at) !== 'retired')
    .map((model) => ({ model, slips: slipsTo(model.id.toLowerCase(), said) }))
    .filter(({ slips }) => slips <= SLIPS_MAX)
    .sort((a, b) => a.slips - b.slips)[0]?.model
}

/** The name alone may stand for the id with its publisher. */
const slipsTo = (id: string, said: string): number =>
  Math.min(distance(id, said), distance(id.slice(id.lastIndexOf('/') + 1), said))
