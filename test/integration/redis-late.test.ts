import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectRedis, type Store } from '../../src/store/connect.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { pause, standStill } from '../until.ts'
import { type Server, startRedis } from './servers.ts'

/** Who waits for Redis, and for how long: a real one, that is stopped, or whose answer nobody reads. */
const Late = suite('Redis answers late')
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
    assert.is(await Promise.race([first, pause(10_000)]), false)
    process.kill(server.pid, 'SIGCONT')
    assert.is(await second, true)
    assert.is(await store.ping(), true)
  },
)

Late.run()
