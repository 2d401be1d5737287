import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { KeeperEvent } from '../../../src/ports/keeper.ts'
import { openHouse } from './house.ts'
import { told } from './stories.ts'

/** All that is read at once is in memory at once. */
const BusyTime = suite('keeper: a busy time')

const EACH = 200

BusyTime('is read few blocks at a time', async () => {
  const house = openHouse()
  for (let block = 1; block <= 400; block++) {
    house.chain.mine(block, ...Array<KeeperEvent>(EACH).fill(told(block, 'locked', block)))
  }
  house.chain.mine(500)
  await house.keep()
  await house.pass(3)
  const lengths = house.chain.ranges.map(([from, to]) => to - from + 1)
  assert.is(house.chain.ranges.at(-1)?.[1], 500)
  assert.ok(Math.max(...lengths) * EACH <= 20_000, `read ${lengths} blocks at once`)
})

BusyTime.run()
