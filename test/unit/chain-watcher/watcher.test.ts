import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLowWater } from '../../../actors/chain-watcher/low-water.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'

const Watcher = suite('chain watcher')

Watcher('facts reach the ledger in order, and final ones their jobs', async () => {
  const house = new WatcherHouse()
  house.listen()
  house.deposited()
  const watcher = await house.watch()
  house.settled(1, 2)
  house.refunded(3)
  await rest()
  assert.equal(
    house.ledger.applied.map(({ kind, block, credits }) => [kind, block, credits]),
    [
      ['deposited', 1, 100n],
      ['settled', 2, 2n],
      ['settled', 2, 2n],
      ['refunded', 3, 8n],
    ],
  )
  assert.equal(house.told(), [
    'ConfirmSettlement 1 2',
    'ConfirmSettlement 2 2',
    'ConfirmRefund 3 3',
  ])
  await watcher.stop()
  assert.is(house.saved(), 3)
})

Watcher('what a wallet takes out, sets aside and takes back reaches the ledger', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  const about = { wallet: WALLET, credits: toCredits(30) }
  house.chain.mine((at) => [
    { ...at, ...about, logIndex: 0, type: 'withdrawn' },
    { ...at, ...about, logIndex: 1, type: 'thawing_started' },
    { ...at, ...about, logIndex: 2, type: 'thawing_cancelled' },
  ])
  await rest()
  assert.equal(house.ledger.applied, [
    { ...about, block: 1, logIndex: 0, kind: 'withdrawn' },
    { ...about, block: 1, logIndex: 1, kind: 'thawing_started' },
    { ...about, block: 1, logIndex: 2, kind: 'thawing_cancelled' },
  ])
  await watcher.stop()
})

Watcher('a dispute and its end reach their job; what it returns reaches the ledger', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  for (const n of [1, 2]) {
    house.settled(n)
    house.disputed(n)
  }
  house.resolved(1, true)
  house.resolved(2, false)
  await rest()
  const [opened, resolved] = house.taken.filter(({ jobId }) => jobId === job(1)).slice(1)
  assert.ok(opened?.type === 'ConfirmDispute' && opened.claimedHash === hashOf('another text'))
  assert.ok(resolved?.type === 'ResolveDispute' && resolved.upheld)
  // To one job in order, to several side by side.
  assert.equal(house.told().sort(), [
    'ConfirmDispute 1 2',
    'ConfirmDispute 2 4',
    'ConfirmSettlement 1 1',
    'ConfirmSettlement 2 3',
    'ResolveDispute 1 5',
    'ResolveDispute 2 6',
  ])
  assert.equal(
    house.ledger.applied.map(({ kind, block, credits }) => [kind, block, credits]),
    [
      ['settled', 1, 2n],
      ['settled', 3, 2n],
      ['dispute_resolved', 5, 8n],
    ],
  )
  await watcher.stop()
  assert.is(house.saved(), 6)
})

Watcher('one job hears its facts in their order, however late it takes the first', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  house.settled(1)
  house.disputed(1)
  house.settled(2)
  house.resolved(1, false)
  await house.clock.advance(10_000)
  house.listen()
  await house.clock.advance(3_000)
  const told = house.told()
  assert.equal(
    told.filter((line) => line.includes(' 1 ')),
    ['ConfirmSettlement 1 1', 'ConfirmDispute 1 2', 'ResolveDispute 1 4'],
  )
  assert.ok(told.includes('ConfirmSettlement 2 3'))
  await watcher.stop()
  assert.is(house.saved(), 4)
})

Watcher('waits for confirmations', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch(3)
  house.settled(1)
  house.settled(2)
  await rest()
  assert.equal(house.told(), [])
  house.settled(3)
  await rest()
  assert.equal(house.told(), ['ConfirmSettlement 1 1'])
  await watcher.stop()
})

Watcher('tells a job until it has taken it; others and the ledger do not wait', async () => {
  const house = new WatcherHouse()
  house.listen()
  house.deaf.add(job(1))
  const watcher = await house.watch()
  house.settled(1)
  house.settled(2)
  await rest()
  assert.equal(house.told(), ['ConfirmSettlement 2 2'])
  assert.is(house.ledger.applied.length, 2)
  await house.clock.advance(1_000)
  assert.is(house.saved(), undefined, 'nothing below is all taken')
  house.deaf.clear()
  // The request itself times out on real time.
  const deadline = performance.now() + 30_000
  while (house.taken.length === 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    await house.clock.advance(3_000)
  }
  assert.equal(house.told(), ['ConfirmSettlement 1 1'])
  await house.clock.advance(1_000)
  assert.is(house.saved(), 2)
  await watcher.stop()
})

Watcher('nobody listens yet: tries again', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  house.settled(1)
  await rest()
  house.listen()
  await house.clock.advance(2_000)
  assert.equal(house.told(), ['ConfirmSettlement 1 1'])
  await watcher.stop()
})

Watcher('a job that nobody knows does not hold it up', async () => {
  const house = new WatcherHouse()
  house.reply = 'unknown_job'
  house.listen()
  const watcher = await house.watch()
  house.settled(1)
  await rest()
  await watcher.stop()
  assert.is(house.saved(), 1)
})

Watcher('goes on from its cursor; what was not taken is told again', async () => {
  const house = new WatcherHouse()
  const first = await house.watch()
  house.listen()
  house.settled(1)
  await rest()
  house.deaf.add(job(2))
  house.settled(2)
  house.settled(3)
  await rest()
  await first.stop()
  house.told()
  house.deaf.clear()
  const second = await house.watch()
  assert.equal(house.told(), ['ConfirmSettlement 2 2', 'ConfirmSettlement 3 3'])
  await second.stop()
})

Watcher('catches up in ranges', async () => {
  const house = new WatcherHouse()
  house.listen()
  for (let n = 0; n < 1_200; n++) house.chain.mine(() => [])
  house.settled(1)
  const watcher = await house.watch()
  assert.equal(house.told(), ['ConfirmSettlement 1 1201'])
  await watcher.stop()
})

for (const [name, back] of [
  ['of the same height', 1],
  ['longer', 2],
] as const) {
  Watcher(
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

Watcher('jobs hear of their locks from their lane; after a reorg, here too', async () => {
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

Watcher(
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

Watcher('a wallet read at a block that is gone before anybody followed it: forgotten', async () => {
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

Watcher('a block whose logs the ledger has, gone before anybody went on: forgotten', async () => {
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

Watcher('a chain that stays shorter than before: goes back, after three seconds', async () => {
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

Watcher('another chain altogether, met at start: begins with the deployment', async () => {
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

Watcher('a ledger or a chain that is down is waited for; no fact is lost', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  house.ledger.failing = true
  house.settled(1)
  await rest()
  assert.equal(house.told(), [], 'the ledger goes first')
  house.ledger.failing = false
  house.chain.down = true
  await house.clock.advance(1_000)
  house.chain.down = false
  await house.clock.advance(1_000)
  assert.equal(house.told(), ['ConfirmSettlement 1 1'])
  await watcher.stop()
})

Watcher('a reorg met while the ledger is down: it forgets once it is back', async () => {
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

Watcher.run()
LowWater.run()
