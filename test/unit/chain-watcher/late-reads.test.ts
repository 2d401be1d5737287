import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { BlockId } from '../../../src/ports/ledger.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'

/** A wallet that is read at a node that lags lacks what the ledger was told before. */
const LateReads = suite('wallets read late')

const ALL = [
  ['deposited', 1],
  ['settled', 2],
  ['refunded', 3],
]

async function blockOf(house: WatcherHouse, number: number): Promise<BlockId> {
  const block = await house.chain.block(number)
  return { block: number, blockHash: block!.hash }
}
const applied = ({ ledger }: WatcherHouse) => ledger.applied.map(({ kind, block }) => [kind, block])

LateReads('what was applied after the block of the read is applied again', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  house.deposited()
  house.settled(1)
  await rest()
  // Forgets what it was told, to show that it is told again: a real one leaves out what a wallet has had.
  house.ledger.applied.length = 0
  await house.ledger.noteRead(await blockOf(house, 0))
  house.refunded(2)
  await rest()
  assert.equal(applied(house), ALL)
  await watcher.stop()
})

LateReads('so it is after a block in which nothing befell the credits of anybody', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  house.disputed(1)
  house.settled(1)
  await rest()
  house.ledger.applied.length = 0
  await house.ledger.noteRead(await blockOf(house, 1))
  house.refunded(2)
  await rest()
  assert.equal(applied(house), ALL.slice(1))
  await watcher.stop()
})

LateReads('a read at the end of what was applied lacks nothing', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  house.deposited()
  await rest()
  await house.ledger.noteRead(await blockOf(house, 1))
  house.settled(1)
  house.refunded(2)
  await rest()
  assert.equal(applied(house), ALL)
  await watcher.stop()
})

LateReads(
  'a read that lacks more than is read at once: all is forgotten, and read anew',
  async () => {
    const house = new WatcherHouse()
    house.listen()
    const watcher = await house.watch()
    house.deposited()
    for (let n = 0; n < 501; n++) house.chain.mine(() => [])
    await house.clock.advance(1_100)
    assert.is(house.ledger.forgotten, 0)
    await house.ledger.noteRead(await blockOf(house, 0))
    house.settled(1)
    await rest()
    assert.is(house.ledger.forgotten, 1)
    await watcher.stop()
  },
)

LateReads('what was brought up is not late again while a job takes long to hear', async () => {
  const house = new WatcherHouse()
  // Nobody listens: the trail that is kept stays where it is.
  const watcher = await house.watch()
  house.settled(1)
  house.deposited()
  await rest()
  await house.ledger.noteRead(await blockOf(house, 1))
  let asked = 0
  const facts = house.chain.facts.bind(house.chain)
  house.chain.facts = (from, ...rest) => {
    if (from === 2) asked++
    return facts(from, ...rest)
  }
  for (let n = 0; n < 6; n++) {
    for (let block = 0; block < 100; block++) house.chain.mine(() => [])
    await house.clock.advance(1_100)
  }
  assert.is(asked, 1)
  assert.is(house.ledger.forgotten, 0)
  await watcher.stop()
})

/** The blocks 1 and 2, each applied by itself, and 3, in which nothing befell anybody; the trail is not kept yet. */
async function threeBlocks() {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  house.deposited()
  await rest()
  house.settled(1)
  await rest()
  house.chain.mine(() => [])
  await rest()
  return { house, watcher }
}

LateReads(
  'after a flush a wallet may be as of a block of ours, and lack what came next',
  async () => {
    const { house, watcher } = await threeBlocks()
    await house.ledger.forget()
    await house.ledger.noteRead(await blockOf(house, 1))
    house.refunded(2)
    await rest()
    assert.equal(applied(house), [
      ['settled', 2],
      ['refunded', 4],
    ])
    await watcher.stop()
  },
)

LateReads('so it may once a reorg has made the ledger forget', async () => {
  const { house, watcher } = await threeBlocks()
  house.chain.goBack(2)
  house.chain.mine(() => [])
  house.chain.mine(() => [])
  await rest()
  assert.is(house.ledger.forgotten, 1)
  await house.ledger.noteRead(await blockOf(house, 1))
  await house.ledger.noteRead(await blockOf(house, 2))
  house.refunded(2)
  await rest()
  assert.equal(applied(house), [
    ['settled', 2],
    ['refunded', 5],
  ])
  await watcher.stop()
})

LateReads('where no node answers then, it is applied again at the next step', async () => {
  const house = new WatcherHouse()
  house.listen()
  const watcher = await house.watch()
  house.deposited()
  house.settled(1)
  await rest()
  // The trail is kept: nothing but its note tells that the wallet was read late.
  await house.clock.advance(300)
  house.ledger.applied.length = 0
  await house.ledger.noteRead(await blockOf(house, 0))
  const facts = house.chain.facts.bind(house.chain)
  house.chain.facts = async () => {
    house.chain.facts = facts
    throw new ChainUnavailable('no answer')
  }
  house.refunded(2)
  await rest()
  await house.clock.advance(1_100)
  assert.equal(applied(house), ALL)
  assert.not.ok(
    house.ledger.noted.some(({ block }) => block === 0),
    'and no more after that',
  )
  await watcher.stop()
})

LateReads.run()
