import fastify from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errorHandler } from '../../../src/api/http/errors.ts'
import { addJsonBody } from '../../../src/api/http/json-body.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const Body = suite('a body that is too large')

/** What a server that takes so many bytes says of one more. */
async function refusalOf(bodyLimit: number): Promise<string> {
  const server = fastify({ bodyLimit })
  addJsonBody(server)
  server.setErrorHandler(errorHandler('https://docs.example', makeLog('test', 'silent')))
  server.post('/', async () => ({}))
  const answer = await server.inject({
    ...{ method: 'POST', url: '/', headers: { 'content-type': 'application/json' } },
    payload: JSON.stringify('x'.repeat(bodyLimit)),
  })
  assert.is(answer.statusCode, 413)
  return answer.json().error.message
}

Body('is told the limit of the server that refused it', async () => {
  assert.match(await refusalOf(LIMITS.bodyBytesMax), 'larger than 4 MiB.')
  assert.match(await refusalOf(64 * 1024), 'larger than 64 KiB.')
})

Body.run()
