import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLanes } from '../../../actors/webhook/lanes.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

const HELD_MOST = 4_000

/** Items end when the test says so, and take as long as it says. */
function house() {
  const running: { readonly key: string; readonly item: number; end(tookMs: number): void }[] = []
  const lanes = makeLanes<number>({
    heldMost: HELD_MOST,
    run: (key, item) =>
      new Promise((resolve) => {
        running.push({ key, item, end: resolve })
      }),
  })
  const end = async (tookMs: number, count = 1): Promise<void> => {
    for (const one of running.splice(0, count)) one.end(tookMs)
    await rest()
  }
  return { lanes, running, end }
}

const Lanes = suite('lanes')

Lanes('four at once for one key, and others are not kept waiting', () => {
  const { lanes, running } = house()
  for (let item = 0; item < 10; item++) lanes.push('a', item)
  lanes.push('b', 0)
  assert.equal(
    running.map(({ key, item }) => `${key}${item}`),
    ['a0', 'a1', 'a2', 'a3', 'b0'],
  )
  assert.is(lanes.held, 11)
})
Lanes('one that ends makes room for the next, in order', async () => {
  const { lanes, running, end } = house()
  for (let item = 0; item < 6; item++) lanes.push('a', item)
  await end(10)
  assert.equal(
    running.map(({ item }) => item),
    [1, 2, 3, 4],
  )
})
Lanes('one that hangs is asked one thing at a time, and soon has enough', async () => {
  const { lanes, running, end } = house()
  for (let item = 0; item < 4; item++) lanes.push('a', item)
  // An average: it takes some to be believed.
  for (let i = 0; i < 4; i++) await end(10_000)
  for (let i = 0; i < 2; i++) {
    lanes.push('a', 9)
    await end(10_000)
  }
  const taken = Array.from({ length: 20 }, (_, item) => lanes.push('a', item)).filter(Boolean)
  assert.is(running.length, 1)
  assert.is(taken.length, 5, 'one that runs and four that wait')
  assert.ok(lanes.patienceMs('a') > 60_000, 'what is put back has a long time before it')
})
Lanes('what was put back is not counted again each time that it comes', async () => {
  const { lanes, running, end } = house()
  const pushAll = (count: number) => {
    for (let item = 0; item < count; item++) lanes.push('a', item)
  }
  const endAll = async () => {
    while (running.length > 0) await end(1_000, running.length)
  }
  pushAll(4)
  await endAll()
  pushAll(1_000)
  const first = lanes.patienceMs('a')
  assert.ok(first > 200_000, 'a thousand seconds of work, by four')
  for (let round = 0; round < 5; round++) {
    await endAll()
    pushAll(1_000)
  }
  // But for the average, which comes closer to a second.
  assert.ok(lanes.patienceMs('a') < 1.5 * first, 'it has as much before it as the first time')
})
Lanes('one that is quick may have many in line', async () => {
  const { lanes, end } = house()
  lanes.push('a', 0)
  await end(10)
  const taken = Array.from({ length: 300 }, (_, item) => lanes.push('a', item)).filter(Boolean)
  assert.is(taken.length, 300)
})
Lanes('many that hang leave room for those that do not', async () => {
  const { lanes, running, end } = house()
  const slow = Array.from({ length: 1_500 }, (_, number) => `slow-${number}`)
  for (let round = 0; round < 6; round++) {
    for (const key of slow) lanes.push(key, round)
    while (running.length > 0) await end(10_000, running.length)
  }
  for (const key of slow) lanes.push(key, 9)
  assert.is(running.length, 1_000)
  lanes.push('quick', 1)
  assert.is(running.at(-1)?.key, 'quick')
  await end(10_000, 1_000)
  assert.ok(running.length >= 500, 'those that waited for others have their turn')
})
Lanes('however many endpoints of which nothing is known yet hang, the next one gets in', () => {
  const { lanes, running } = house()
  for (let key = 0; key < 40; key++) {
    for (let item = 0; item < 600; item++) lanes.push(`hangs-${key}`, item)
  }
  assert.ok(lanes.held < HELD_MOST, `${lanes.held} are held`)
  assert.ok(lanes.push('quick', 1))
  assert.is(running.at(-1)?.key, 'quick')
})
Lanes('stop: what has not begun is handed back, and nothing more begins', async () => {
  const { lanes, running, end } = house()
  for (let item = 0; item < 6; item++) lanes.push('a', item)
  assert.equal(lanes.stop(), [4, 5])
  await end(10, 4)
  assert.is(running.length, 0)
  assert.is(lanes.held, 0)
})

Lanes('very many keys come and go: one that is busy is not forgotten', async () => {
  let busy = 0
  const lanes = makeLanes<number>({
    heldMost: HELD_MOST,
    run: (key) => {
      if (key !== 'a') return Promise.resolve(1)
      busy++
      return new Promise(() => {})
    },
  })
  for (let item = 0; item < 6; item++) lanes.push('a', item)
  for (let n = 0; n < 12_000; n++) {
    lanes.push(`b${n}`, n)
    if (n % 1_000 === 0) await rest()
  }
  lanes.push('a', 6)
  assert.is(busy, 4)
  assert.equal(lanes.stop(), [4, 5, 6])
})

Lanes.run()
