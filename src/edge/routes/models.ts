import type { FastifyInstance } from 'fastify'
import { sendRefusal } from '../../api/http/errors.ts'
import { missingId } from '../../api/http/missing-id.ts'
import { requireKnown } from '../../api/models/known-model.ts'
import type { Pools } from '../../api/models/pools.ts'
import { publicModel } from '../../api/models/public-model.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import { listModels, retrieveModel } from '../openapi/operations.ts'

interface Options {
  readonly catalogue: Catalogue
  readonly pools: Pools
  readonly docsUrl: string
  readonly names: ServiceNames
}

export function models(server: FastifyInstance, options: Options): void {
  const { catalogue, pools, docsUrl } = options
  const { object } = options.names
  server.get('/v1/models', { config: { operation: listModels } }, async () => {
    requireKnown(catalogue)
    return { object: 'list', data: pools.all().map((live) => publicModel(live, object)) }
  })

  // Ids hold slashes: the rest of the path is the id, with `/` or `%2F`.
  const config = { operation: retrieveModel }
  server.get<{ Params: { '*': string } }>('/v1/models/*', { config }, async (request, reply) => {
    requireKnown(catalogue)
    const id = request.params['*']
    const live = pools.live(id)
    if (live) return publicModel(live, object)
    const message =
      id === ''
        ? missingId('model')
        : `No model \`${id.slice(0, 100)}\` is served now. GET /v1/models lists those that are.`
    const refusal = { code: 'model_not_found', message } as const
    return sendRefusal(reply, refusal, docsUrl, { unknownModelPath: true })
  })
}
