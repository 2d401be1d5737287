import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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

LateReads.run()
