import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats } from '../../../src/bus/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { pause, until } from '../../until.ts'
import { silentWay } from '../silent-way.ts'
import { type NatsWithUsers, startNatsWithUsers } from './nats-with-users.ts'

/** What a process leaves behind of a connection to NATS that it gave up, on a way that keeps silent. */
const Lost = suite('lost connections to NATS')
const log = makeLog('test', 'silent')
/** Dials that nothing answers; the library's own patience with each is 20 s. */
const DIALS_MS = 60_000
/** nats-server, which knows users, ends a connection that does not say who it is after two seconds. */
const ENDS_MS = 4_000
/** The largest of messages, and so many of them that no kernel takes them all. */
const [PIECE_BYTES, PIECES] = [1_000_000, 64]

let server: NatsWithUsers
Lost.before(async () => {
  server = await startNatsWithUsers()
})
Lost.after(() => server?.stop())

Lost('a dial that was given up and comes through later: each word is heard once', async () => {
  const way = await silentWay(server.urlAs('pool'))
  const here = await connectNats({ servers: way.url, name: 'here', log })
  const there = await connectNats({ servers: server.urlAs('edge'), name: 'there', log })
  const heard: unknown[] = []
  try {
    here.bus.subscribe('pools.ask', (word, _, respond) => {
      heard.push(word)
      respond(word)
    })
    await here.bus.flush()
    way.silence()
    await until('two dials are made', () => way.waiting() >= 2, DIALS_MS)
    way.speak()
    await until('connected again', () => here.bus.connected)
    await pause(ENDS_MS)
    assert.is(await there.bus.request('pools.ask', 'once', 2_000), 'once')
    await pause(500)
    assert.equal(heard, ['once'])
    assert.is(way.open(), 1)
  } finally {
    await Promise.all([here.close(), there.close()])
    way.close()
  }
})

Lost(
  'a silent server, and more to say than the kernel takes: another connection is made',
  async () => {
    const way = await silentWay(server.urlAs('pool'))
    const here = await connectNats({ servers: way.url, name: 'here', log })
    try {
      await here.bus.flush()
      way.silence()
      for (let i = 0; i < PIECES; i++) here.bus.publish('edge.test', Buffer.alloc(PIECE_BYTES))
      await until('another one is tried', () => way.waiting() > 0, 15_000)
      way.speak()
      await until('connected again', () => here.bus.connected, 15_000)
    } finally {
      way.close()
      await here.close()
    }
  },
)

Lost.run()
