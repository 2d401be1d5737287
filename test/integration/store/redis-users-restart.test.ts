import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startRedisWithUsers } from './redis-with-users.ts'

/** What a script wrote is one transaction of the append-only file, which Redis reads back as nobody. */
const Restart = suite('users of Redis and a restart')

let server: Awaited<ReturnType<typeof startRedisWithUsers>>
const open: Redis[] = []
Restart.before(async () => {
  server = await startRedisWithUsers()
})
Restart.after(async () => {
  for (const redis of open) redis.disconnect()
  await server.stop()
})

function connect(): Redis {
  const redis = new Redis(server.urlAs('operator'))
  open.push(redis)
  return redis
}

const TWO = "redis.call('SET', KEYS[1], 'a'); redis.call('SET', KEYS[2], 'b'); return 1"

Restart('what a script wrote is there again', async () => {
  const redis = connect()
  await redis.eval(TWO, 2, 'b:{one}:1', 'b:{one}:2')
  await server.crash()
  assert.equal(await connect().mget('b:{one}:1', 'b:{one}:2'), ['a', 'b'])
})

Restart('nobody is let in without a name', async () => {
  const nobody = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  open.push(nobody)
  nobody.on('error', () => {})
  const refused = await nobody.get('b:{one}:1').catch((error: unknown) => error)
  assert.match(String(refused), 'NOAUTH')
})

Restart.run()
