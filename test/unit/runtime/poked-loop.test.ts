import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makePokedLoop } from '../../../src/runtime/poked-loop.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Poked = suite('a loop that is poked')
/** Blocks of a fast chain, and the poke that comes each second on any. */
const [BLOCK_MS, SECOND_MS] = [100, 1_000]

function house() {
  const clock = new ManualClock()
  const log = makeLog('test', 'silent')
  const world = { fails: false, steps: 0 }
  const step = async () => {
    world.steps++
    if (world.fails) throw new Error('too many requests')
    return false
  }
  const { poke } = makePokedLoop({ name: 'test', step, clock, log })
  clock.every(BLOCK_MS, poke)
  clock.every(SECOND_MS, poke)
  return { clock, world }
}

Poked('runs at each poke while all is well', async () => {
  const { clock, world } = house()
  await clock.advance(10_000)
  assert.ok(world.steps >= 100)
})

Poked('what goes on failing is tried about once a second, however often it is poked', async () => {
  const { clock, world } = house()
  world.fails = true
  await clock.advance(10_000)
  assert.ok(world.steps >= 10 && world.steps <= 16, `${world.steps} times`)
})

Poked('goes on within a second when it can, and at each poke from then on', async () => {
  const { clock, world } = house()
  world.fails = true
  await clock.advance(10_000)
  world.fails = false
  world.steps = 0
  await clock.advance(SECOND_MS)
  assert.ok(world.steps >= 1)
  world.steps = 0
  await clock.advance(SECOND_MS)
  assert.ok(world.steps >= 10)
})

Poked('one that fails once is tried at the next poke', async () => {
  const { clock, world } = house()
  world.fails = true
  await clock.advance(BLOCK_MS)
  world.fails = false
  assert.is(world.steps, 1)
  await clock.advance(BLOCK_MS)
  assert.ok(world.steps >= 2)
})

Poked.run()
