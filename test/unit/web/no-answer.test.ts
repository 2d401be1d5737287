import fastify from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoResponders } from '../../../src/ports/bus.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { RegistryUnanswered } from '../../../src/ports/registry.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { webErrorHandler } from '../../../src/web/http/errors.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** What the web app says when a part of the service is away that its route did not think of. */
const NoAnswer = suite('web: no answer')

/** @returns the answer of a route that throws this, and the messages at `error` */
async function answerTo(thrown: Error) {
  const errors: string[] = []
  const log = makeLog('web', 'error', { write: (line) => errors.push(JSON.parse(line).msg) })
  const server = fastify()
  server.setErrorHandler(webErrorHandler('https://docs.test', log, new ManualClock()))
  server.get('/', async () => {
    throw thrown
  })
  const { statusCode, headers, body } = await server.inject('/')
  return { statusCode, retryAfter: headers['retry-after'], ...JSON.parse(body), body, errors }
}

const AWAY: Readonly<Record<string, Error>> = {
  'NATS hangs': new RegistryUnanswered('NONCES', new Error('TIMEOUT')),
  'no actor host': new NoResponders('account.load'),
  'the chain hangs': new ChainUnavailable('eth_call', new Error('no answer')),
}

for (const [what, thrown] of Object.entries(AWAY)) {
  NoAnswer(`${what}: 503, to be tried again, and no error of ours`, async () => {
    const { statusCode, retryAfter, error, body, errors } = await answerTo(thrown)
    assert.equal([statusCode, error.code, retryAfter], [503, 'service_unavailable', '2'])
    assert.equal(errors, [])
    assert.not.match(body, /NONCES|account\.load|eth_call/, 'how it is built is nobody’s concern')
  })
}

NoAnswer('whatever else is thrown is a fault: 500, and logged', async () => {
  const { statusCode, error, errors } = await answerTo(new Error('a bug'))
  assert.equal([statusCode, error.code, errors], [500, 'internal_error', ['failed']])
})

NoAnswer('pages that ask again and again fill no log: a line a route in ten seconds', async () => {
  const lines: Record<string, unknown>[] = []
  const log = makeLog('web', 'info', { write: (line) => lines.push(JSON.parse(line)) })
  const clock = new ManualClock()
  const server = fastify()
  server.setErrorHandler(webErrorHandler('https://docs.test', log, clock))
  for (const route of ['/api/session', '/api/account']) {
    server.get(route, async () => {
      throw new RegistryUnanswered('NONCES', new Error('TIMEOUT'))
    })
  }
  const askAll = async (times: number) => {
    for (let i = 0; i < times; i++) {
      for (const url of ['/api/session', '/api/account']) await server.inject(url)
    }
  }
  const told = () => lines.splice(0).map(({ route, moreBefore }) => [route, moreBefore])
  await askAll(20)
  assert.equal(told(), [
    ['/api/session', undefined],
    ['/api/account', undefined],
  ])
  await clock.advance(10_000)
  await askAll(1)
  assert.equal(told(), [
    ['/api/session', 19],
    ['/api/account', 19],
  ])
})

NoAnswer.run()
