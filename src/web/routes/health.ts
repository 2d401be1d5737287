import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { Readiness } from '../../api/http/readiness.ts'

/** For orchestrators: `healthz` while the process runs, `readyz` while it can serve. */
export function health(server: FastifyInstance, { readiness }: { readiness: Readiness }): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async () => {
    const missing = await readiness.missing()
    if (missing.length === 0) return { status: 'ready' }
    throw refuse('service_unavailable', `Not ready: ${missing.join(', ')} not available.`)
  })
}
