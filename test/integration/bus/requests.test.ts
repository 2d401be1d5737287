import { setImmediate as turn } from 'node:timers/promises'
import { connect, type NatsConnection, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writeByTurn } from '../../../src/bus/connection/by-turn.ts'
import { askCheaply } from '../../../src/bus/core/requests.ts'
import { standStill, until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

/** Requests of our own making answer as those of the client library do. */
const Requests = suite('requests on a real nats-server')
let server: Server
let cheap: NatsConnection
let library: NatsConnection

Requests.before(async () => {
  server = await startNats()
  const options = { servers: server.url, noAsyncTraces: true, reconnectTimeWait: 50 }
  cheap = await connect({ ...options, maxReconnectAttempts: -1 })
  writeByTurn(cheap)
  askCheaply(cheap)
  library = await connect({ ...options, maxReconnectAttempts: -1 })
  library.subscribe('echo', { callback: (_error, message) => message.respond(message.data) })
  library.subscribe('silent', { callback: () => {} })
  await library.flush()
})
Requests.after(async () => {
  await Promise.all([cheap.close(), library.close()])
  await server.stop()
})

const text = (value: string) => new TextEncoder().encode(value)
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error instanceof NatsError ? error.code : String(error)),
  )

Requests('each answer reaches the one who asked', async () => {
  const asked = Array.from({ length: 3_000 }, (_, i) =>
    cheap.request('echo', text(`${i}`), { timeout: 20_000 }),
  )
  const answers = await Promise.all(asked)
  assert.equal(
    answers.map(({ data }) => new TextDecoder().decode(data)),
    answers.map((_, i) => `${i}`),
  )
})

Requests('nobody there, and nobody who answers, are told as the library tells them', async () => {
  for (const connection of [cheap, library]) {
    assert.is(await codeOf(connection.request('nobody', text(''), { timeout: 20_000 })), '503')
    assert.is(await codeOf(connection.request('silent', text(''), { timeout: 60 })), 'TIMEOUT')
  }
})

Requests('an answer that came while this process stood still is no late one', async () => {
  process.kill(server.pid, 'SIGSTOP')
  // The server's own answer: whoever else could give one stands still, too.
  const asked = codeOf(cheap.request('nobody', text(''), { timeout: 500 }))
  // It leaves at the end of a turn.
  for (let i = 0; i < 3; i++) await turn()
  process.kill(server.pid, 'SIGCONT')
  standStill(1_000)
  assert.is(await asked, '503')
})

Requests('each ends by its own time, whatever else is asked meanwhile', async () => {
  const beganAt = performance.now()
  const slow = codeOf(cheap.request('silent', text(''), { timeout: 2_000 }))
  const ended: string[] = []
  const quick = codeOf(cheap.request('silent', text(''), { timeout: 100 })).then(() =>
    ended.push('quick'),
  )
  await Promise.all([quick, slow.then(() => ended.push('slow'))])
  assert.equal(ended, ['quick', 'slow'])
  assert.ok(performance.now() - beganAt >= 1_990)
})

Requests(
  'one that is open while the server goes away ends, and later ones are answered',
  async () => {
    const open = codeOf(cheap.request('silent', text(''), { timeout: 1_000 }))
    await server.crash()
    assert.is(await open, 'TIMEOUT')
    await until('an answer, now that the server is back', async () => {
      const again = cheap.request('echo', text('again'), { timeout: 200 })
      return (await codeOf(again)) === 'answered'
    })
  },
)

Requests('what is asked after the end is refused, what was open then ends with it', async () => {
  const connection = await connect({ servers: server.url })
  askCheaply(connection)
  const open = codeOf(connection.request('silent', text(''), { timeout: 60_000 }))
  await connection.flush()
  await connection.close()
  assert.is(await open, 'CONNECTION_CLOSED')
  assert.is(await codeOf(connection.request('echo', text(''))), 'CONNECTION_CLOSED')
})

Requests.run()
