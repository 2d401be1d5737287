import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'

/** The node's newest block, and the figures that the alert WatcherBehind compares: final, taken. */
const Behind = suite('chain watcher: how far behind')

async function figures({ metrics }: WatcherHouse): Promise<readonly (number | undefined)[]> {
  const text = await metrics.text()
  return ['svc_chain_head_block', 'svc_chain_final_block', 'svc_watcher_block'].map((name) => {
    const found = new RegExp(`^${name} (-?\\d+)$`, 'm').exec(text)
    return found ? Number(found[1]) : undefined
  })
}

Behind('the head goes on where the node refuses its logs', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch()
  house.deposited()
  await rest()
  assert.equal(await figures(house), [1, 1, 1])

  const { facts } = house.chain
  house.chain.facts = async () => {
    throw new ChainUnavailable('query returned more than 10000 results')
  }
  for (let n = 0; n < 30; n++) house.deposited()
  await house.clock.advance(10_000)
  assert.equal(await figures(house), [31, 31, 1])

  house.chain.facts = facts
  await house.clock.advance(10_000)
  assert.equal(await figures(house), [31, 31, 31])
  await watcher.stop()
})

Behind('a watcher that has taken nothing yet lacks what came since the deployment', async () => {
  const house = new WatcherHouse()
  house.chain.facts = async () => {
    throw new ChainUnavailable('no logs today')
  }
  house.deposited()
  const watcher = await house.watch()
  assert.equal(await figures(house), [1, 1, 0])
  await watcher.stop()
})

Behind('blocks that lack confirmations are not lacking: the watcher reads them later', async () => {
  const house = new WatcherHouse()
  const watcher = await house.watch(24)
  for (let n = 0; n < 40; n++) house.deposited()
  await house.clock.advance(10_000)
  assert.equal(await figures(house), [40, 17, 17])

  house.chain.facts = async () => {
    throw new ChainUnavailable('no logs today')
  }
  for (let n = 0; n < 21; n++) house.deposited()
  await house.clock.advance(10_000)
  assert.equal(await figures(house), [61, 38, 17])
  await watcher.stop()
})

Behind.run()
