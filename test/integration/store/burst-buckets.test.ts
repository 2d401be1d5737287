import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

const Buckets = suite('burst buckets on a real redis-server')
const TERMS = { perSecond: 50, burst: 200 }
let server: Server
let store: Store

const settle = async (address: string, count: number, terms = TERMS): Promise<number> => {
  const [left] = await store.bursts.settle(new Map([[address, count]]), terms)
  return left ?? Number.NaN
}

Buckets.before(async () => {
  server = await startRedis()
  store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
})
Buckets.after(async () => {
  await store.close()
  await server.stop()
})

Buckets('a bucket begins full, gives, and fills again at its rate', async () => {
  assert.is(await settle('a', 0), 200)
  const startedAt = performance.now()
  assert.is(await settle('b', 150), 50)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const left = await settle('b', 0)
  const filled = ((performance.now() - startedAt) / 1_000) * 50
  assert.ok(left >= 74 && left <= 51 + filled, `${left} left`)
})

Buckets('what was given too much is owed, one burst at most', async () => {
  assert.is(await settle('c', 300), -100)
  assert.is(await settle('c', 10_000), -200)
})

Buckets('many addresses settle in one go, each for itself', async () => {
  const consumed = new Map(Array.from({ length: 500 }, (_, i) => [`10.1.${i >> 8}.${i & 255}`, i]))
  const left = await store.bursts.settle(consumed, TERMS)
  assert.is(left.length, 500)
  left.forEach((tokens, i) => {
    assert.is(tokens, Math.max(-200, 200 - i))
  })
  assert.equal(await store.bursts.settle(new Map(), TERMS), [])
})

Buckets('a full bucket is not kept', async () => {
  const terms = { perSecond: 1_000, burst: 20 }
  await settle('gone', 20, terms)
  const admin = new Redis(server.url)
  await until('the bucket to be forgotten', async () => {
    return (await admin.exists('b:{burst}:gone')) === 0
  })
  admin.disconnect()
  assert.is(await settle('gone', 1, terms), 19)
})

Buckets('it is kept until it is full, and longest where something is owed', async () => {
  const terms = { perSecond: 1, burst: 20 }
  assert.is(await settle('owing', 40, terms), -20)
  assert.is(await settle('given', 5, terms), 15)
  const admin = new Redis(server.url)
  const [owing, given] = [await admin.pttl('b:{burst}:owing'), await admin.pttl('b:{burst}:given')]
  admin.disconnect()
  assert.ok(owing > 35_000 && owing <= 40_001, String(owing))
  assert.ok(given > 0 && given <= 5_001, String(given))
})

Buckets.run()
