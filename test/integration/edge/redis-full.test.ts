import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askEdge, type EdgeProcess, startEdgeProcess } from '../../fakes/edge/edge-process.ts'
import { chat } from '../../fakes/edge/stage.ts'

/**
 * What deploy/redis.conf promises: full means refused, and goes on when there is room. What only reads is served,
 * so the edge stays ready: src/docs/operating/monitoring.md.
 */
const Full = suite<{ world: EdgeProcess; redis: Redis }>('a Redis that has reached maxmemory')
Full.before(async (context) => {
  context.world = await startEdgeProcess()
  context.redis = new Redis(context.world.redis.url)
})
Full.after(async ({ world, redis }) => {
  redis?.disconnect()
  await world?.stop()
})

const ask = async (world: EdgeProcess) =>
  (await askEdge(world, '/v1/chat/completions', chat({ max_tokens: 10 }))).status
const see = async (world: EdgeProcess, path: string) => (await askEdge(world, path)).status

Full('503, and 200 once there is more', async ({ world, redis }) => {
  assert.is(await ask(world), 200)
  await redis.config('SET', 'maxmemory', '1mb')
  const refused = [await ask(world), await ask(world)]
  const read = [await see(world, '/v1/account'), await see(world, '/v1/models')]
  const ready = await see(world, '/readyz')
  await redis.config('SET', 'maxmemory', '2gb')
  assert.equal(refused, [503, 503])
  assert.equal(read, [200, 200])
  assert.is(ready, 200)
  assert.is(await ask(world), 200)
})

Full.run()
