import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeUnpaidJobId } from '../../../src/domain/ids.ts'
import { connectRedis } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

/**
 * A Redis that hands over to another one, as those do that somebody else runs: it stays, as a replica, and keeps
 * its connections; the name leads to the new one from then on.
 */
const Failover = suite('Redis hands over to another')
const servers: Server[] = []
Failover.before(async () => {
  servers.push(await startRedis(), await startRedis())
})
Failover.after(async () => {
  for (const server of servers) await server.stop()
})

Failover(
  'the connection to one that is a replica now is left for where the name leads',
  async () => {
    const [old, next] = servers as [Server, Server]
    let port = portOf(old)
    const name = createServer((near) => {
      const far = connect({ port, host: '127.0.0.1' })
      for (const socket of [near, far]) socket.on('error', () => socket.destroy())
      near.pipe(far).pipe(near)
    })
    name.listen(0, '127.0.0.1')
    await once(name, 'listening')
    const url = `redis://127.0.0.1:${(name.address() as AddressInfo).port}`
    const store = await connectRedis({ url, log: makeLog('test', 'silent') })
    const operator = new Redis(old.url)
    const id = makeUnpaidJobId(Buffer.alloc(32, 7))
    const writes = () =>
      store.outputs.putAnswer(id, 'text', 10_000).then(
        () => true,
        () => false,
      )
    try {
      assert.ok(await writes())
      port = portOf(next)
      await operator.replicaof('127.0.0.1', port)
      await until('it is written again', writes)
      assert.ok(await store.ping())
    } finally {
      await operator.quit()
      await store.close()
      name.close()
    }
  },
)

const portOf = ({ url }: Server): number => Number(new URL(url).port)

Failover.run()
