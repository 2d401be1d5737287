import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../telemetry/metrics.ts'
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
    // While a process is not ready, probes would be most of what is refused.
    const { refusedAs: code } = reply
    if (code !== undefined && !isProbe(route)) refusals.inc({ code })
  })
}
