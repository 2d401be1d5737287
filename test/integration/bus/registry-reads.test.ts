import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats } from '../../../src/bus/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { pause } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'
import { silentWay } from '../silent-way.ts'

/** A question whose connection is lost under it: a server is started anew, a firewall forgets. */
const Reads = suite('reads of a bucket')
const log = makeLog('test', 'silent')
/** Well below the five seconds after which the client library says that nobody answered. */
const SOON_MS = 3_000

let server: Server
Reads.before(async () => {
  server = await startNats()
})
Reads.after(() => server?.stop())

Reads(
  'what was asked before the connection was lost, and while there is none, is answered by the next',
  async () => {
    const way = await silentWay(server.url)
    const { registry, close } = await connectNats({ servers: way.url, name: 'here', log })
    try {
      const keys = await registry('KEYS')
      await keys.set('key', 'value')
      way.silence()
      const before = keys.get('key')
      await pause(100)
      way.cut()
      await pause(20)
      const meanwhile = keys.get('key')
      await pause(500)
      way.cut()
      way.speak()
      const from = performance.now()
      const answers = await Promise.all([before, meanwhile])
      assert.equal(
        answers.map((entry) => entry?.value),
        ['value', 'value'],
      )
      assert.ok(performance.now() - from < SOON_MS)
    } finally {
      await close()
      way.close()
    }
  },
)

Reads.run()
