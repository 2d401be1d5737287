import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makePokedLoop } from '../../../src/runtime/poked-loop.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

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
  return { clock, world, poke }
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

Poked(
  'one that fails once is tried at the next poke, also where it has failed for long before',
  async () => {
    const { clock, world, poke } = house()
    for (const failsForMs of [BLOCK_MS, 10_000]) {
      world.fails = true
      await clock.advance(failsForMs)
      world.fails = false
      await clock.advance(SECOND_MS)
      world.fails = true
      poke()
      await rest()
      world.fails = false
      world.steps = 0
      poke()
      await rest()
      assert.is(world.steps, 1)
    }
  },
)

/** Steps that last until they are let go of. */
function slowly() {
  const gates: ((hasMore: boolean) => void)[] = []
  const step = () => new Promise<boolean>((resolve) => gates.push(resolve))
  const log = makeLog('test', 'silent')
  const loop = makePokedLoop({ name: 'test', step, clock: new ManualClock(), log })
  /** @returns how many steps have begun since */
  const letGo = async (hasMore: boolean) => {
    for (const go of gates.splice(0)) go(hasMore)
    await rest()
    return gates.length
  }
  return { loop, letGo }
}

Poked('one step at a time, and once more for all pokes that came meanwhile', async () => {
  const { loop, letGo } = slowly()
  loop.poke()
  await rest()
  loop.poke()
  loop.poke()
  assert.is(await letGo(true), 1)
  assert.is(await letGo(false), 1)
  assert.is(await letGo(false), 0)
  loop.poke()
  assert.is(await letGo(false), 0, 'that was the last of it')
})

Poked('once stopped nothing begins any more; what is under way is waited for', async () => {
  const { loop, letGo } = slowly()
  loop.poke()
  await rest()
  loop.poke()
  let isOver = false
  const stopped = loop.stop().then(() => {
    isOver = true
  })
  await rest()
  assert.not.ok(isOver)
  assert.is(await letGo(true), 0)
  await stopped
  loop.poke()
  assert.is(await letGo(false), 0)
})

Poked.run()
