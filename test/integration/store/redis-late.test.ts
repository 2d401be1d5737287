import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inTime } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { pause, standStill, until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

/** Who waits for Redis, and for how long: a real one, that is stopped, or whose answer nobody reads. */
const Late = suite('Redis answers late')
/** As long as one is waited for; see `connectRedis`. */
const SILENCE_MS = 4_000
let server: Server
let store: Store

Late.before(async () => {
  server = await startRedis()
  store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
})
Late.after(async () => {
  await store.close()
  await server.stop()
})

Late('what it answered while this process stood still is read, not refused', async () => {
  process.kill(server.pid, 'SIGSTOP')
  const asked = [store.ping(), store.ping()]
  // It leaves at the end of a turn.
  for (let i = 0; i < 3; i++) await turn()
  process.kill(server.pid, 'SIGCONT')
  standStill(2_500)
  assert.equal(await Promise.all(asked), [true, true])
})

Late(
  'nobody waits for longer than two seconds, and those who ask later have their own',
  async () => {
    process.kill(server.pid, 'SIGSTOP')
    const first = store.ping()
    await pause(1_000)
    const second = store.ping()
    assert.is(await inTime(systemClock, 10_000, first), false)
    process.kill(server.pid, 'SIGCONT')
    assert.is(await second, true)
    assert.is(await store.ping(), true)
  },
)

Late('a connection that brings nothing any more, and does not end, is made anew', async () => {
  const way = await forgetfulWay(server.url)
  const behind = await connectRedis({ url: way.url, log: makeLog('test', 'silent') })
  try {
    assert.is(await behind.ping(), true)
    way.forget()
    assert.is(await behind.ping(), false)
    await until('Redis answers on a new connection', () => behind.ping(), 12_000)
    // One that is merely used by nobody stays.
    const connections = way.taken()
    await pause(SILENCE_MS + 1_000)
    assert.is(await behind.ping(), true)
    assert.is(way.taken(), connections)
  } finally {
    await behind.close()
    way.close()
  }
})

Late('a Redis that stands still for less than four seconds keeps its connections', async () => {
  const way = await forgetfulWay(server.url)
  const behind = await connectRedis({ url: way.url, log: makeLog('test', 'silent') })
  try {
    assert.is(await behind.ping(), true)
    process.kill(server.pid, 'SIGSTOP')
    assert.is(await behind.ping(), false)
    process.kill(server.pid, 'SIGCONT')
    assert.is(await behind.ping(), true)
    assert.is(way.taken(), 1)
  } finally {
    await behind.close()
    way.close()
  }
})

/** As a firewall that loses its table: what it let through until now is swallowed, and nobody is told. */
async function forgetfulWay(to: string) {
  const port = Number(new URL(to).port)
  const pairs: (readonly [Socket, Socket])[] = []
  let taken = 0
  const gate = createServer((near) => {
    const far = connect({ port, host: '127.0.0.1' })
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
    near.pipe(far).pipe(near)
    pairs.push([near, far])
    taken++
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  return {
    url: `redis://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    taken: () => taken,
    forget: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).resume()
        far.unpipe(near).resume()
      }
    },
    close: () => {
      for (const socket of pairs.flat()) socket.destroy()
      gate.close()
    },
  }
}

Late.run()
