import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'
import { SOON_MS, until } from '../../until.ts'

/** Blocks went by while nobody followed them. */
const CatchingUp = suite('chain watcher: catching up')

CatchingUp(
  'wallets were read at each of many blocks, and a provider counts questions',
  async () => {
    const house = new WatcherHouse()
    for (let block = 1; block <= 300; block++) {
      house.chain.mine(() => [])
      await house.ledger.noteRead(await house.chain.account())
    }
    const block = house.chain.block.bind(house.chain)
    let underWay = 0
    house.chain.block = async (number) => {
      if (underWay >= 20) throw new ChainUnavailable('too many questions')
      underWay++
      await new Promise(setImmediate)
      underWay--
      return block(number)
    }
    const watcher = await house.watch()
    await until(
      'all of them to be looked for',
      async () => {
        await house.clock.advance(1_000)
        return house.ledger.noted.length === 0
      },
      SOON_MS,
    )
    assert.is(house.saved(), 300)
    assert.is(house.ledger.forgotten, 0)
    await watcher.stop()
  },
)

CatchingUp.run()
