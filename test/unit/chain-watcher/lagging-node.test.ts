import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
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

Lagging('on a branch that is gone: what it tells of its blocks is not taken', async () => {
  const house = new WatcherHouse()
  house.listen()
  house.settled(1)
  const watcher = await house.watch()
  house.told()
  house.chain.down = true
  house.settled(2)
  house.chain.down = false
  const gone = await house.chain.facts(2, 2)
  const { hash } = (await house.chain.block(2))!
  house.chain.goBack(1)
  const { facts } = house.chain
  // The head is asked of a node that knows of the reorg, and the facts of one that does not.
  house.chain.facts = async (_from, _to, ends) => {
    if (ends?.end && ends.end !== hash) throw new ChainUnavailable('another branch')
    return gone
  }
  house.refunded(2)
  await house.clock.advance(2_500)
  house.chain.facts = facts
  await house.clock.advance(1_100)
  assert.equal(house.told(), ['ConfirmRefund 2 2'])
  await watcher.stop()
})

Lagging('near the head every block is asked for: a range is no longer than that', async () => {
  const house = new WatcherHouse()
  house.listen()
  const asked: [number, number][] = []
  const { facts } = house.chain
  house.chain.facts = (from, to, ends) => {
    asked.push([from, to])
    return facts.call(house.chain, from, to, ends)
  }
  for (let block = 1; block <= 600; block++) house.deposited()
  const watcher = await house.watch()
  // Before that they grow, while there is little in them.
  assert.equal(asked.slice(0, 7), [
    [1, 16],
    [17, 48],
    [49, 112],
    [113, 240],
    [241, 496],
    [497, 536],
    [537, 544],
  ])
  assert.equal(asked.at(-1), [593, 600])
  await watcher.stop()
})

Lagging.run()
