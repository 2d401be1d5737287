import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLowWater } from '../../../actors/chain-watcher/low-water.ts'

const LowWater = suite('low water')

LowWater('moves only over blocks that are closed, in order', () => {
  const water = makeLowWater(10)
  assert.ok(water.open(11, 0), 'an empty block is closed at once')
  water.open(12, 2)
  water.open(13, 1)
  assert.is(water.done, 11)
  assert.not.ok(water.close(13))
  assert.not.ok(water.close(12))
  assert.ok(water.close(12))
  assert.is(water.done, 13)
})

LowWater.run()
