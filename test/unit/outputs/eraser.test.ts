import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ERASE_MS, makeEraser } from '../../../actors/outputs/eraser.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Eraser = suite('eraser')

function stage() {
  const clock = new ManualClock()
  const warnings: string[] = []
  const world = { clock, warnings, asked: 0, answer: async (): Promise<boolean> => true }
  const log = { warn: (_about: object, words: string) => warnings.push(words) } as unknown as Log
  const rewrite = () => {
    world.asked++
    return world.answer()
  }
  return Object.assign(world, { eraser: makeEraser({ file: { rewrite }, clock, log }) })
}

Eraser('asks once a window, until it is stopped', async () => {
  const world = stage()
  world.eraser.start()
  await world.clock.advance(ERASE_MS - 1)
  assert.is(world.asked, 0)
  await world.clock.advance(1)
  assert.is(world.asked, 1)
  await world.clock.advance(ERASE_MS)
  assert.is(world.asked, 2)
  await world.eraser.stop()
  await world.clock.advance(2 * ERASE_MS)
  assert.is(world.asked, 2)
})

Eraser('asks at once where the store has been started again', async () => {
  const world = stage()
  world.eraser.eraseNow()
  assert.is(world.asked, 1)
  await world.eraser.stop()
})

Eraser('says once that it cannot, and again where it could in between', async () => {
  const world = stage()
  const refuse = async () => {
    throw new Error('NOPERM')
  }
  world.eraser.start()
  world.answer = refuse
  await world.clock.advance(3 * ERASE_MS)
  assert.is(world.warnings.length, 1)
  assert.match(world.warnings[0]!, 'BGREWRITEAOF')
  world.answer = async () => false
  await world.clock.advance(ERASE_MS)
  world.answer = refuse
  await world.clock.advance(ERASE_MS)
  assert.is(world.warnings.length, 2)
  await world.eraser.stop()
})

Eraser.run()
