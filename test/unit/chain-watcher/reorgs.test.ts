import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'

/** Blocks that the watcher has followed are not on the chain any more. */
const Reorgs = suite('chain watcher: reorgs')

for (const [name, back] of [
  ['of the same height', 1],
  ['longer', 2],
] as const) {
  Reorgs(
    `a reorg to a chain ${name}: forgets, and goes on from the last common block`,
    async () => {
      const house = new WatcherHouse()
      house.listen()
      const watcher = await house.watch()
      house.settled(1)
      await rest()
      house.settled(2)
      await rest()
      house.told()
      house.chain.goBack(1)
      house.settled(3)
      if (back === 2) house.settled(4)
      await rest()
      assert.is(house.ledger.forgotten, 1)
      const expected = ['ConfirmSettlement 3 2', 'ConfirmSettlement 4 3'].slice(0, back)
      assert.equal(house.told(), expected)
      await watcher.stop()
    },
  )
}

Reorgs('jobs hear of their locks from their lane; after a reorg, here too', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  house.locked(1)
  await rest()
  house.settled(1)
  await rest()
  assert.equal(house.told(), ['ConfirmSettlement 1 2'])
  house.chain.goBack(0)
  house.locked(1)
  house.settled(1)
  await rest()
  assert.equal(house.told(), ['ConfirmLock 1 1', 'ConfirmSettlement 1 2'])
  await watcher.stop()
})

Reorgs('jobs hear of their locks after a reorg from the next watcher, too', async () => {
  const house = new WatcherHouse()
  house.listen()
  const first = await house.watch()
  house.locked(1)
  await rest()
  house.chain.goBack(0)
  house.settled(2)
  await house.clock.advance(1_000)
  await first.stop()
  house.told()
  house.locked(1)
  const second = await house.watch()
  await house.clock.advance(1_100)
  assert.equal(house.told(), ['ConfirmLock 1 2'])
  await second.stop()
})

Reorgs(
  'jobs hear here of locks that a reorg made to fail, but for those that came later',
  async () => {
    const house = new WatcherHouse()
    house.listen()
    const watcher = await house.watch()
    house.passedOver(3)
    await rest()
    assert.equal(house.told(), [], 'the lane that sent it says so')
    house.locked(1)
    house.settled(1)
    await rest()
    house.told()
    house.chain.goBack(0)
    house.passedOver(1)
    house.passedOver(2)
    house.locked(2)
    await rest()
    assert.equal(house.told(), ['RefuseLock 1 1', 'ConfirmLock 2 3'])
    await watcher.stop()
  },
)

Reorgs('a wallet read at a block that is gone before anybody followed it: forgotten', async () => {
  const house = new WatcherHouse()
  house.listen()
  house.settled(1)
  const first = await house.watch()
  await first.stop()
  house.settled(2)
  await house.ledger.noteRead(await house.chain.account())
  house.chain.goBack(1)
  house.settled(3)
  await house.ledger.noteRead(await house.chain.account())
  const second = await house.watch()
  await house.clock.advance(1_100)
  assert.is(house.ledger.forgotten, 1)
  assert.equal(house.ledger.noted, [])
  await house.ledger.noteRead(await house.chain.account())
  await house.clock.advance(1_100)
  assert.equal([house.ledger.noted.length, house.ledger.forgotten], [0, 1], 'of the chain: proven')
  await second.stop()
})

Reorgs('a block whose logs the ledger has, gone before anybody went on: forgotten', async () => {
  const house = new WatcherHouse()
  house.listen()
  house.settled(1)
  const first = await house.watch()
  await house.clock.advance(1_000)
  const { set } = house.registry
  house.registry.set = () => Promise.reject(new Error('it dies before that'))
  house.settled(2)
  await house.clock.advance(2_000)
  await first.stop()
  house.registry.set = set
  assert.equal([house.saved(), house.ledger.applied.length], [1, 2])
  house.chain.goBack(1)
  house.settled(3)
  const second = await house.watch()
  await house.clock.advance(1_100)
  assert.is(house.ledger.forgotten, 1)
  house.settled(4)
  await house.clock.advance(1_100)
  assert.equal([house.ledger.noted, house.ledger.forgotten], [[], 1], 'what is kept is proven')
  await second.stop()
})

Reorgs('a chain that stays shorter than before: goes back, after three seconds', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  for (const n of [1, 2, 3]) {
    house.settled(n)
    await rest()
  }
  house.told()
  house.chain.goBack(1)
  await house.clock.advance(5_100)
  assert.is(house.ledger.forgotten, 1)
  house.settled(4)
  await rest()
  assert.equal(house.told(), ['ConfirmSettlement 4 2'])
  await watcher.stop()
})

Reorgs('another chain altogether, met at start: begins with the deployment', async () => {
  const house = new WatcherHouse()
  house.listen()
  const first = await house.watch()
  for (const n of [1, 2, 3]) house.settled(n)
  await rest()
  await first.stop()
  house.told()
  house.chain.goBack(0)
  house.settled(5)
  const second = await house.watch()
  // It is shorter than the one before: as of a node that lags, at first.
  await house.clock.advance(3_100)
  assert.equal(house.told(), ['ConfirmSettlement 5 1'])
  assert.is(house.ledger.forgotten, 1)
  await second.stop()
})

Reorgs('a reorg met while the ledger is down: it forgets once it is back', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  house.settled(1)
  await rest()
  house.ledger.failing = true
  house.chain.goBack(0)
  house.settled(2)
  await rest()
  assert.is(house.ledger.forgotten, 0)
  house.ledger.failing = false
  await house.clock.advance(1_000)
  assert.is(house.ledger.forgotten, 1)
  assert.equal(house.told(), ['ConfirmSettlement 1 1', 'ConfirmSettlement 2 1'])
  await watcher.stop()
})

Reorgs.run()
