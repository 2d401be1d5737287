import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats } from '../../../src/bus/connect.ts'
import { firstConnection } from '../../../src/bus/connection/first-connection.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { pause, until } from '../../until.ts'
import { type NatsWithUsers, startNatsWithUsers } from './nats-with-users.ts'

/** A server that does not know the password of a role any more: `src/docs/operating/key-rotation.md`. */
const TurnedAway = suite('a user that NATS turns away')
const log = makeLog('test', 'silent')

let server: NatsWithUsers
TurnedAway.before(async () => {
  server = await startNatsWithUsers()
})
TurnedAway.after(() => server?.stop())

TurnedAway(
  'is there again once the server knows its password again; the log says it once',
  async () => {
    const told: unknown[] = []
    const cuts: unknown[] = []
    const listening = Object.assign(Object.create(log), {
      error: (text: unknown) => told.push(text),
      warn: (_about: unknown, text: unknown) => text === 'nats: disconnected' && cuts.push(text),
    })
    const { bus, close } = await connectNats({
      servers: server.urlAs('edge'),
      name: 'edge',
      log: listening,
    })
    try {
      await server.restartKnowing('edge', 'p-of-somebody-else')
      await until('it is told', () => told.length > 0)
      // The second refusal of the library's would have been the last.
      await pause(1_500)
      assert.not(bus.connected)
      assert.equal([told.length, cuts.length], [1, 1])
      assert.match(String(told[0]), /NATS_URL/)
      await server.restartKnowing('edge')
      await until('it is connected again', () => bus.connected)
    } finally {
      await close()
    }
  },
)

TurnedAway('from its start on: ends, and says by which setting', async () => {
  const servers = server.urlAs('edge').replace(/:p-[^@]+@/, ':wrong@')
  const outcome = await connectNats({ servers, name: 'edge', log }).then(
    () => 'connected',
    (error: unknown) => error,
  )
  assert.instance(outcome, OperatorError)
  assert.match(String(outcome), /does not let this user in.*authorization violation.*NATS_URL/)
  assert.not.match(String(outcome), /wrong/)
})

TurnedAway('is let in at its start by whichever server knows its password already', async () => {
  const others = await Promise.all([startNatsWithUsers(), startNatsWithUsers()])
  try {
    await Promise.all(others.map((other) => other.restartKnowing('edge', 'p-of-before')))
    const { username: user, password: pass } = new URL(server.urlAs('edge'))
    const servers = [server, ...others].map(({ url }) => url)
    // The library asks them in an order of its own, by chance.
    for (let start = 0; start < STARTS; start++) {
      const connection = await firstConnection({ servers, user, pass }, log)
      assert.is(connection.getServer(), new URL(server.url).host)
      await connection.close()
    }
  } finally {
    await Promise.all(others.map((other) => other.stop()))
  }
})

/** Where a third of them fails, none does once in three thousand. */
const STARTS = 20

TurnedAway.run()
