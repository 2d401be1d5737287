import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'

/** Of several nodes behind one address one may lag: what it lacks is not gone. */
const Lagging = suite('chain watcher: a node that lags')

for (const [what, spanMs] of [
  ['behind the one before it', 2_500],
  // The head is asked of the one, and single blocks of the other.
  ['for longer than three seconds, beside one that does not', 5_100],
] as const) {
  Lagging(`${what}: nothing is forgotten or told again`, async () => {
    const house = new WatcherHouse()
    house.listen()
    const watcher = await house.watch()
    for (const n of [1, 2]) {
      house.settled(n)
      await rest()
    }
    house.told()
    const { head } = house.chain
    house.chain.head = async () => (await house.chain.block(1))!
    await house.clock.advance(spanMs)
    house.chain.head = head
    house.settled(3)
    await house.clock.advance(1_100)
    assert.equal(house.told(), ['ConfirmSettlement 3 3'])
    assert.is(house.ledger.forgotten, 0)
    await watcher.stop()
  })
}

Lagging('whose head was never looked at: nothing is forgotten either', async () => {
  const house = new WatcherHouse()
  house.listen()
  house.settled(1)
  const watcher = await house.watch()
  // Blocks 2 to 4 in one step: none of them but the last is in the trail.
  house.chain.down = true
  for (const n of [2, 3, 4]) house.settled(n)
  house.chain.down = false
  await house.clock.advance(1_000)
  const { head } = house.chain
  house.chain.head = async () => (await house.chain.block(3))!
  await house.clock.advance(2_500)
  house.chain.head = head
  await house.clock.advance(1_100)
  assert.is(house.ledger.forgotten, 0)
  await watcher.stop()
})

Lagging('behind all that was ever seen: nothing is forgotten either', async () => {
  const house = new WatcherHouse()
  house.listen()
  for (const n of [1, 2]) house.settled(n)
  // Both in one step: the trail begins with the second.
  const watcher = await house.watch()
  house.told()
  const { head, block } = house.chain
  house.chain.block = async (number) => (number > 1 ? undefined : block.call(house.chain, number))
  house.chain.head = async () => (await house.chain.block(1))!
  await house.clock.advance(2_500)
  Object.assign(house.chain, { head, block })
  house.settled(3)
  await house.clock.advance(1_100)
  assert.equal(house.told(), ['ConfirmSettlement 3 3'])
  assert.is(house.ledger.forgotten, 0)
  await watcher.stop()
})

Lagging.run()
