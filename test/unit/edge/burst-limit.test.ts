import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type BurstLimit, makeBurstLimit } from '../../../src/api/http/burst-limit.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryBursts } from '../../fakes/edge/memory-bursts.ts'

const TERMS = { perSecond: 50, burst: 200 }
const SETTLED_MS = 15
const log = pino({ level: 'silent' })

interface World {
  clock: ManualClock
  buckets: MemoryBursts
  edge(terms?: typeof TERMS): BurstLimit
}
const Burst = suite<World>('burst limit')
Burst.before.each((world) => {
  world.clock = new ManualClock()
  world.buckets = new MemoryBursts(world.clock)
  world.edge = (terms = TERMS) =>
    makeBurstLimit({ buckets: world.buckets, terms, clock: world.clock, log })
})

/** How many of `count` requests at once pass. */
const passed = (edge: BurstLimit, count: number, address = '203.0.113.9'): number =>
  Array.from({ length: count }, () => edge.take(address)).filter((seconds) => seconds === 0).length

Burst('a burst passes, then the rate, then the wait is told', async ({ clock, edge }) => {
  const limit = edge()
  assert.is(passed(limit, 500), 200)
  assert.is(limit.take('203.0.113.9'), 1)
  assert.is(passed(limit, 500, '203.0.113.10'), 200, 'another address has its own')
  await clock.advance(1_020)
  assert.is(passed(limit, 500), 50)
  await clock.advance(60_000)
  assert.is(passed(limit, 500), 200)
})

Burst('the wait is never above a minute, however slow the rate', ({ edge }) => {
  for (const [perSecond, seconds] of [
    [1, 1],
    [1 / 30, 30],
    [1 / 600, 60],
  ] as const) {
    const limit = edge({ perSecond, burst: 1 })
    assert.equal([limit.take('x'), limit.take('x')], [0, seconds])
  }
})

Burst('0 switches it off', async ({ clock, buckets, edge }) => {
  const limit = edge({ perSecond: 50, burst: 0 })
  assert.is(passed(limit, 10_000), 10_000)
  await clock.advance(1_000)
  assert.is(buckets.settlings, 0)
})

Burst('two edges share one bucket, but for what arrives within one settling', async (world) => {
  const [a, b] = [world.edge(), world.edge()]
  assert.is(passed(a, 150), 150)
  // Not heard of at the other edge yet: this is the overshoot.
  assert.is(passed(b, 150), 150)
  await world.clock.advance(SETTLED_MS)
  assert.is(passed(a, 150) + passed(b, 150), 50, 'each went on with what it knew of itself')
  await world.clock.advance(SETTLED_MS)
  assert.is(passed(a, 10) + passed(b, 10), 0)
  // What was too much is paid back before anything passes again: 350 of 200, at 50 a second.
  await world.clock.advance(2_900)
  assert.is(passed(a, 10) + passed(b, 10), 0)
})

Burst('over a long time the edges together give the rate and not more', async (world) => {
  const edges = [world.edge(), world.edge(), world.edge()]
  let total = 0
  for (let ms = 0; ms < 20_000; ms += 5) {
    for (const edge of edges) total += passed(edge, 1)
    await world.clock.advance(5)
  }
  // The burst, 20 s of the rate, and one settling's overshoot an edge.
  assert.ok(total >= 1_190 && total <= 1_230, `${total} requests`)
})

Burst(
  'the shared buckets away: an edge goes on alone, and is one of many again after',
  async (world) => {
    const [a, b] = [world.edge(), world.edge()]
    world.buckets.away = true
    assert.is(passed(a, 300), 200)
    await world.clock.advance(1_000)
    assert.is(passed(a, 300), 50)
    assert.is(passed(b, 300), 200)
    world.buckets.away = false
    await world.clock.advance(10_000)
    assert.is(passed(a, 100), 100)
    await world.clock.advance(600)
    assert.is(passed(b, 1), 1)
    await world.clock.advance(600)
    const rest = passed(b, 300)
    assert.ok(rest >= 155 && rest <= 165, `it has heard of the other one: ${rest}`)
  },
)

Burst(
  'what was used up does not come back sooner because buckets are tidied away',
  async (world) => {
    const terms = { perSecond: 1, burst: 20 }
    for (const away of [false, true]) {
      world.buckets.away = away
      const limit = world.edge(terms)
      assert.is(passed(limit, 30, `away: ${away}`), 20)
      await world.clock.advance(6_000)
      const more = passed(limit, 30, `away: ${away}`)
      assert.ok(more === 5 || more === 6, `${more} in six seconds`)
    }
  },
)

Burst('who sent too much by several edges is told how long it owes', async (world) => {
  const [a, b] = [world.edge(), world.edge()]
  for (const edge of [a, b]) assert.is(passed(edge, 200), 200)
  await world.clock.advance(SETTLED_MS)
  assert.equal([a, b].map((edge) => edge.take('203.0.113.9')).sort(), [1, 5])
})

Burst('stopped, it asks the shared buckets nothing more', async ({ clock, buckets, edge }) => {
  const limit = edge()
  limit.take('x')
  limit.stop()
  limit.take('x')
  await clock.advance(1_000)
  assert.is(buckets.settlings, 0)
})

Burst(
  'many addresses settle a part at a time, and none is lost',
  async ({ clock, buckets, edge }) => {
    const limit = edge()
    const addresses = Array.from({ length: 1_200 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
    for (const address of addresses) assert.is(passed(limit, 150, address), 150)
    await clock.advance(SETTLED_MS * 3)
    assert.is(buckets.settlings, 3)
    const other = edge()
    for (const address of addresses) other.take(address)
    await clock.advance(SETTLED_MS * 3)
    for (const address of addresses) assert.ok(passed(other, 100, address) < 60, address)
  },
)

Burst('somebody with a hundred thousand addresses does not make it grow', ({ edge }) => {
  const limit = edge()
  for (let i = 0; i < 60_000; i++) limit.take(`2001:db8:${i >> 8}:${i & 255}::/64`)
  const before = process.memoryUsage().heapUsed
  for (let i = 60_000; i < 200_000; i++) limit.take(`2001:db8:${i >> 8}:${i & 255}::/64`)
  const grownMb = (process.memoryUsage().heapUsed - before) / 1024 / 1024
  assert.ok(grownMb < 40, `${grownMb} MB`)
})

Burst.run()
