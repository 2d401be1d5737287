import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type NatsOfOwner } from '../../src/bus/connect.ts'
import { countRoom } from '../../src/runtime/count-room.ts'
import { connectRedis, type Store } from '../../src/store/connect.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { makeMetrics } from '../../src/telemetry/metrics.ts'
import { until } from '../until.ts'
import { startNatsWithUsers } from './bus/nats-with-users.ts'
import { startRedisWithUsers } from './store/redis-with-users.ts'

/** How full NATS and Redis are, as an actor host may ask them with the users of deploy/. */
const Room = suite('room in NATS and Redis')

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const MEBIBYTE = 1024 * 1024
const NATS_MAX = 100 * MEBIBYTE

let nats: Awaited<ReturnType<typeof startNatsWithUsers>>
let redis: Awaited<ReturnType<typeof startRedisWithUsers>>
let bus: NatsOfOwner
let store: Store
const metrics = makeMetrics()

Room.before(async () => {
  nats = await startNatsWithUsers()
  redis = await startRedisWithUsers()
  bus = await connectNats({ servers: nats.urlAs('actors'), name: 'actors', log })
  store = await connectRedis({ url: redis.urlAs('actors'), log })
  countRoom({
    metrics,
    nats: async () => ({ used: await bus.storedBytes(), max: NATS_MAX }),
    redis: store.room,
    redisWrites: store.takesWrites,
  })
})
Room.after(async () => {
  await store.close()
  await bus.close()
  await redis.stop()
  await nats.stop()
})

async function figure(name: string, what: string): Promise<number | undefined> {
  const [, value] =
    new RegExp(`^${name}\\{what="${what}"\\} (\\S+)$`, 'm').exec(await metrics.text()) ?? []
  return value === undefined ? undefined : Number(value)
}

Room('of NATS: what is stored, beside the limit that it does not tell', async () => {
  const journal = await bus.journal('JOB')
  const before = (await figure('svc_nats_file_store_bytes', 'used'))!
  const body = randomBytes(MEBIBYTE)
  assert.type(await journal.append('job.1.a', 0, { token: 't', body }), 'number')
  await until('NATS to count what is stored', async () => {
    const used = (await figure('svc_nats_file_store_bytes', 'used'))!
    return used - before >= MEBIBYTE && used - before < 2 * MEBIBYTE
  })
  assert.is(await figure('svc_nats_file_store_bytes', 'max'), NATS_MAX)
})

Room('of Redis: what counts against maxmemory, and that as it is set now', async () => {
  const operator = new Redis(redis.urlAs('operator'))
  const before = (await figure('svc_redis_memory_bytes', 'used'))!
  assert.is(await figure('svc_redis_memory_bytes', 'max'), 2 * 1024 * MEBIBYTE)
  await operator.set('p:a', 'x'.repeat(4 * MEBIBYTE))
  await operator.config('SET', 'maxmemory', '300mb')
  assert.is(await figure('svc_redis_memory_bytes', 'max'), 300 * MEBIBYTE)
  assert.ok((await figure('svc_redis_memory_bytes', 'used'))! - before > 3 * MEBIBYTE)
  await operator.config('SET', 'maxmemory', '0')
  assert.is(await figure('svc_redis_memory_bytes', 'max'), undefined)
  operator.disconnect()
})

Room('of Redis: whether it takes writes, by one that leaves nothing', async () => {
  const operator = new Redis(redis.urlAs('operator'))
  const takes = async () => /^svc_redis_takes_writes (\S+)$/m.exec(await metrics.text())?.[1]
  assert.is(await takes(), '1')
  for (const [setting, refusing, usual] of [
    ['maxmemory', '1mb', '0'],
    ['min-replicas-to-write', '1', '0'],
  ] as const) {
    await operator.config('SET', setting, refusing)
    assert.is(await takes(), '0', setting)
    await operator.config('SET', setting, usual)
    assert.is(await takes(), '1', setting)
  }
  assert.is(await operator.exists('reads'), 0)
  operator.disconnect()
})

Room('a server that is away has no figure, and keeps nobody from the others', async () => {
  await nats.stop()
  assert.is(await figure('svc_nats_file_store_bytes', 'used'), undefined)
  assert.ok(await figure('svc_redis_memory_bytes', 'used'))
  await redis.stop()
  assert.is(await figure('svc_redis_memory_bytes', 'used'), undefined)
  assert.not.match(await metrics.text(), /^svc_redis_takes_writes /m)
})

Room.run()
