import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { goingDown, type Leaving } from '../../api/http/leaving.ts'
import type { Readiness } from '../../api/http/readiness.ts'

interface Options {
  readonly readiness: Readiness
  readonly leaving: Leaving
}

/** For orchestrators: `healthz` while the process runs, `readyz` while it can serve. */
export function health(server: FastifyInstance, { readiness, leaving }: Options): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async () => {
    if (leaving.begun) throw goingDown()
    const missing = await readiness.missing()
    if (missing.length === 0) return { status: 'ready' }
    throw refuse('service_unavailable', `Not ready: ${missing.join(', ')} not available.`)
  })
}
