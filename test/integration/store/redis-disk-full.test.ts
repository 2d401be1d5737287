import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectRedis } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

/**
 * A Redis that cannot write its file refuses every write, and PING with them. It answers all the same, so whoever
 * needs it is ready: src/docs/operating/monitoring.md.
 */
const Full = suite('a Redis whose disk is full')

let server: Server
let operator: Redis
Full.before(async () => {
  server = await startRedis()
  operator = new Redis(server.url)
})
Full.after(async () => {
  operator?.disconnect()
  await server?.stop()
})

Full('takes no writes, and is there', async () => {
  const store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
  try {
    assert.equal([await store.ping(), await store.takesWrites()], [true, true])
    const [, folder] = (await operator.config('GET', 'dir')) as string[]
    // A file cannot take its place.
    mkdirSync(join(folder!, 'dump.rdb', 'a folder'), { recursive: true })
    await operator.config('SET', 'save', '3600 1')
    await operator.bgsave()
    const refused = () =>
      operator.ping().then(
        () => false,
        ({ message }: Error) => message.startsWith('MISCONF'),
      )
    await until('Redis to find that it cannot write', refused, 10_000)
    assert.equal([await store.ping(), await store.takesWrites()], [true, false])
  } finally {
    await store.close()
  }
})

Full.run()
