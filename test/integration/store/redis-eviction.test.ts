import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { connectRedis } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type Server, startRedis } from '../servers.ts'

const Eviction = suite('a Redis that evicts keys')
const log = makeLog('test', 'silent')

let server: Server
let operator: Redis
Eviction.before(async () => {
  server = await startRedis()
  operator = new Redis(server.url)
})
Eviction.after(async () => {
  operator?.disconnect()
  await server?.stop()
})

Eviction('is refused, with what to set, while it has a limit', async () => {
  const connect = async () => (await connectRedis({ url: server.url, log })).close()
  for (const policy of ['allkeys-lru', 'volatile-lru', 'volatile-ttl']) {
    await operator.config('SET', 'maxmemory-policy', policy, 'maxmemory', '100mb')
    const why = await connect().catch((error: unknown) => error)
    assert.instance(why, OperatorError)
    assert.match((why as Error).message, `${policy}. Set it to noeviction: CONFIG SET`)
  }
  await operator.config('SET', 'maxmemory', '0')
  await connect()
  await operator.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '100mb')
  await connect()
})

Eviction.run()
