import { type CatalogueModel, modelStatus } from '../../domain/models.ts'
import { isoTimestamp, type UnixMs } from '../../domain/time.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import { refuse } from '../http/errors.ts'
import { meantModel } from './meant-model.ts'

/**
 * The model of this id, listed or retiring.
 * @throws {RefusalError} model_not_found; service_unavailable before a catalogue was heard
 */
export function requireModel(catalogue: Catalogue, id: string, at: UnixMs): CatalogueModel {
  requireKnown(catalogue)
  const model = catalogue.find(id)
  if (!model) throw unknownModel(id, meantModel(catalogue, id, at))
  if (modelStatus(model, at) === 'retired') throw retiredModel(model)
  return model
}

/**
 * Without a catalogue no model can be said not to be there.
 * @throws {RefusalError} service_unavailable
 */
export function requireKnown(catalogue: Catalogue): void {
  if (catalogue.known) return
  throw refuse(
    'service_unavailable',
    'The catalogue of models has not been read yet; try again in a few seconds.',
  )
}

const unknownModel = (id: string, meant: CatalogueModel | undefined) =>
  refuse(
    'model_not_found',
    `There is no model \`${id.slice(0, 100)}\`${meant ? `; did you mean \`${meant.id}\`?` : '.'} ` +
      'GET /v1/models lists those that are served.',
    { param: 'model' },
  )

const retiredModel = ({ id, retiresAt }: CatalogueModel) =>
  refuse(
    'model_not_found',
    `The model \`${id}\` was retired by vote${retiresAt === null ? '' : ` on ${isoTimestamp(retiresAt)}`}. ` +
      'GET /v1/models lists those that are served.',
    { param: 'model' },
  )
