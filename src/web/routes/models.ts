import type { FastifyInstance } from 'fastify'
import { requireKnown } from '../../api/models/known-model.ts'
import type { Pools } from '../../api/models/pools.ts'
import { publicModel } from '../../api/models/public-model.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { WebModels } from '../api.ts'

interface Options {
  readonly catalogue: Catalogue
  readonly pools: Pools
}

export function models(server: FastifyInstance, { catalogue, pools }: Options): void {
  server.get('/api/models', async (): Promise<WebModels> => {
    requireKnown(catalogue)
    return { data: pools.all().map((live) => publicModel(live, 'svc')) }
  })
}
