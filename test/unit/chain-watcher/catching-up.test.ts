import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ChainFact, ChainUnavailable } from '../../../src/ports/escrow.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'
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

CatchingUp(
  'what nobody hears of does not pile up without end, and is told in the end',
  async () => {
    const house = new WatcherHouse()
    house.untakenMax = 200
    const about = { wallet: WALLET, claimedHash: hashOf('another text') }
    for (let block = 1; block <= 100; block++) {
      house.chain.mine((at) =>
        Array.from(
          { length: 5 },
          (_, logIndex): ChainFact => ({
            ...{ ...at, ...about, logIndex },
            ...{ type: 'disputed', jobId: job(block) },
          }),
        ),
      )
    }
    let read = 0
    const facts = house.chain.facts.bind(house.chain)
    house.chain.facts = async (from, to, ends) => {
      read = to
      return facts(from, to, ends)
    }
    const watcher = await house.watch()
    for (let second = 0; second < 5; second++) await house.clock.advance(1_000)
    assert.ok(read < 60, `read ${read} blocks of 5 facts that nobody heard of`)
    house.listen()
    await until(
      'all to be told',
      async () => {
        await house.clock.advance(1_000)
        return house.saved() === 100
      },
      SOON_MS,
    )
    assert.is(house.taken.length, 500)
    await watcher.stop()
  },
)

CatchingUp('of a busy time few blocks are read at once', async () => {
  const house = new WatcherHouse()
  house.listen()
  for (let block = 1; block <= 300; block++) house.chain.mine(() => [])
  const asked: number[] = []
  const { facts } = house.chain
  const workers = Array.from({ length: 300 }, (_, workerId) => workerId)
  house.chain.facts = async (from, to, ends) => {
    asked.push(to - from + 1)
    await facts.call(house.chain, from, to, ends)
    const about = { signer: WALLET, payee: WALLET, tx: hashOf('tx'), blockHash: hashOf('block') }
    return Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((block) =>
      workers.map(
        (workerId): ChainFact => ({
          ...{ ...about, workerId, block, logIndex: workerId },
          type: 'worker_registered',
        }),
      ),
    )
  }
  const watcher = await house.watch()
  await house.clock.advance(1_000)
  assert.ok(Math.max(...asked) * workers.length < 20_000, `read ${asked} blocks at once`)
  await watcher.stop()
  assert.is(house.saved(), 300)
})

CatchingUp.run()
