import fastify, { type FastifyInstance } from 'fastify'
import { makeLog } from '../../../src/telemetry/log.ts'
import { webErrorHandler } from '../../../src/web/http/errors.ts'
import { ManualClock } from '../chain/manual-clock.ts'
import { OWNER } from '../jobs/views.ts'

/** The web API without its sessions: whoever asks is signed in as OWNER. */
export function signedInServer(): FastifyInstance {
  const server = fastify()
  const log = makeLog('web', 'silent')
  server.setErrorHandler(webErrorHandler('https://docs.test', log, new ManualClock()))
  server.decorateRequest('session', null)
  server.addHook('onRequest', async (request) => {
    request.session = { wallet: OWNER } as typeof request.session
  })
  return server
}
