import { once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { StaleQuery } from '../../../src/web/api.ts'
import { events } from '../../../src/web/routes/events.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

const Stream = suite('web: the stream of a page')

const SESSION = {
  wallet: toAddress(`0x${'11'.repeat(20)}`),
  expiresAt: toUnixMs(Number.MAX_SAFE_INTEGER),
}

/** The route, with sessions that are named by their cookies. */
async function makePages() {
  const clock = new ManualClock()
  const over = new Set<string>()
  const tells = new Set<(queries: readonly StaleQuery[]) => void>()
  const leaving = { closing: false }
  const server = fastify()
  server.decorateRequest('session', null)
  server.addHook('onRequest', async (request) => {
    Object.assign(request, { session: SESSION, cookies: { svc_session: request.headers.cookie } })
  })
  events(server, {
    followers: {
      follow: async (_wallet, tell) => {
        tells.add(tell)
        return () => void tells.delete(tell)
      },
      isFull: () => false,
      stop: () => {},
    },
    sessions: { read: async (token: string) => (over.has(token) ? undefined : SESSION) } as never,
    clock,
    open: new Set(),
    leaving,
  })
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  return { clock, over, tells, leaving, server, port: Number(port) }
}

const askAs = (cookie: string) => `GET /api/events HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`

Stream('one that has ended, and cannot leave yet, is told nothing more', async () => {
  const { clock, over, tells, server, port } = await makePages()
  const faults: unknown[] = []
  const note = (fault: unknown) => void faults.push(fault)
  process.on('uncaughtException', note)
  const socket = connect(port, '127.0.0.1')
  // One behind the other, without waiting: what the second is told leaves once the first has ended.
  socket.write(askAs('first') + askAs('second'))
  while (tells.size < 2) await rest()
  await once(socket, 'data')
  const [, second] = tells
  over.add('second')
  await clock.advance(10_000)
  assert.not(tells.has(second!), 'it is followed no more')
  for (let i = 0; i < 3; i++) second!(['account'])
  await clock.advance(20_000)
  process.off('uncaughtException', note)
  assert.equal(faults, [])
  assert.is(tells.size, 1)
  socket.destroy()
  await server.close()
  await rest()
  assert.is(tells.size, 0)
})

Stream('one that opens while its server leaves keeps that from nothing', async () => {
  const { tells, leaving, server, port } = await makePages()
  leaving.closing = true
  const answer = await fetch(`http://127.0.0.1:${port}/api/events`)
  assert.match(await answer.text(), 'retry: ')
  await rest()
  assert.is(tells.size, 0)
  await server.close()
})

Stream.run()
