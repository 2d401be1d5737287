import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'
import { until } from '../../until.ts'

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

Watcher(
  'as much of one wallet as a block holds reaches the ledger in order, each once',
  async () => {
    const house = new WatcherHouse()
    house.listen()
    const watcher = await house.watch()
    const numbers = Array.from({ length: 250 }, (_, i) => i + 1)
    house.settled(...numbers)
    await rest()
    const places = house.ledger.applied.map(({ logIndex }) => logIndex)
    assert.equal(places, [...numbers.keys()])
    assert.is(new Set(house.taken.map(({ jobId }) => jobId)).size, 250)
    await house.clock.advance(1_000)
    assert.is(house.saved(), 1, 'and nothing of it is waited for')
    await watcher.stop()
  },
)

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
  await until('it to be said again', async () => {
    await house.clock.advance(3_000)
    return house.taken.length > 0
  })
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

Watcher('a node that answers nothing any more does not keep it from being let go', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  house.settled(1)
  await rest()
  const head = house.chain.head.bind(house.chain)
  let answer = () => {}
  house.chain.head = async () => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return head()
  }
  await house.clock.advance(1_000)
  let isStopped = false
  void watcher.stop().then(() => {
    isStopped = true
  })
  await house.clock.advance(2_000)
  assert.ok(isStopped)
  house.chain.mine(() => [])
  answer()
  await house.clock.advance(1_000)
  assert.is(house.saved(), 1, 'the next one may have come further by then')
})

Watcher.run()
