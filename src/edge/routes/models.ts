import type { FastifyInstance } from 'fastify'
import { sendRefusal } from '../errors.ts'
import type { Pools } from '../pools.ts'
import { publicModel } from '../public-model.ts'

interface Options {
  readonly pools: Pools
  readonly docsUrl: string
}

export function models(server: FastifyInstance, { pools, docsUrl }: Options): void {
  server.get('/v1/models', async () => ({ object: 'list', data: pools.all().map(publicModel) }))

  // Ids hold slashes: the rest of the path is the id, with `/` or `%2F`.
  server.get<{ Params: { '*': string } }>('/v1/models/*', async (request, reply) => {
    const id = request.params['*']
    const live = pools.live(id)
    if (live) return publicModel(live)
    const message = `No model \`${id.slice(0, 100)}\` is served now. GET /v1/models lists those that are.`
    const refusal = { code: 'model_not_found', message } as const
    return sendRefusal(reply, refusal, docsUrl, { unknownModelPath: true })
  })
}
