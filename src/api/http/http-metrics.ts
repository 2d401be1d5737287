import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../telemetry/metrics.ts'
import { RefusalError } from './errors.ts'
import { isProbe } from './probes.ts'

/** Counts what a server answers, and in what words it refuses. */
export function countAnswers(server: FastifyInstance, metrics: Metrics): void {
  const answers = metrics.counter({
    name: 'svc_http_answers_total',
    help: 'Answers by route, method and status.',
    labels: ['route', 'method', 'status'],
  })
  const refusals = metrics.counter({
    name: 'svc_http_refusals_total',
    help: 'Refused requests by error code, probes left out.',
    labels: ['code'],
  })
  server.addHook('onResponse', async (request, reply) => {
    // What nobody serves has no route, and its path is the caller's own words.
    const route = request.routeOptions.url ?? 'none'
    const method = request.routeOptions.url ? request.method : 'any'
    answers.inc({ route, method, status: String(reply.raw.statusCode) })
  })
  server.addHook('onError', async (request, _reply, error) => {
    // While a process is not ready, they would be most of what is refused.
    if (isProbe(request.routeOptions.url)) return
    const code = error instanceof RefusalError ? error.refusal.code : 'unexpected'
    refusals.inc({ code })
  })
}
