import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openHouse, wallet } from './house.ts'
import { told } from './stories.ts'

/** Of several nodes behind one address one may lag: what it lacks is not gone, and did not fail to happen. */
const Lagging = suite('keeper: a node that lags')

Lagging('behind the one before it: that is no reorg', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.mine(12)
  await house.pass(1)
  const { head } = house.chain
  house.chain.head = async () => (await house.chain.block(11))!
  await house.pass(2)
  house.chain.head = head
  house.chain.mine(13)
  await house.pass(1)
  assert.equal(house.told('warn'), [])
  assert.equal(house.chain.ranges.at(-1), [13, 13], 'nothing is read again')
})

Lagging('for long, beside one that does not: neither is that', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.mine(12)
  await house.pass(1)
  house.chain.head = async () => (await house.chain.block(11))!
  await house.pass(10)
  assert.equal(house.told('warn'), [])
})

Lagging('a chain that stays shorter has gone back', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.mine(12, told(12, 'settled', 1))
  await house.pass(1)
  house.chain.goBack(11)
  await house.pass(5)
  assert.equal(house.told('warn'), ['keeper: reorg, going back'])
})

Lagging('tells of no transfer: the tokens become credits all the same', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep()
  const at = house.chain.depositAddress(wallet(7))
  const { arrivals } = house.chain
  house.chain.arrivals = async () => []
  house.chain.transfer(at, 1_000_000n)
  await house.pass(3)
  house.chain.arrivals = arrivals
  for (let second = 0; second < 45; second++) {
    house.chain.mine(100 + second)
    await house.pass(1)
  }
  assert.equal(house.made(), ['sweep 7'])
})

Lagging('tells of a transfer and not of its tokens: they are looked at once more', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep()
  const at = house.chain.depositAddress(wallet(7))
  const { tokensOf } = house.chain
  house.chain.tokensOf = async () => 0n as never
  house.chain.transfer(at, 1_000_000n)
  await house.pass(3)
  house.chain.tokensOf = tokensOf
  await house.pass(45)
  assert.equal(house.made(), ['sweep 7'])
})

Lagging(
  'knows nothing of tokens when their address is looked at first: they become credits all the same',
  async () => {
    const house = openHouse()
    house.chain.mine(10)
    await house.wallets.set(wallet(7), {})
    house.chain.tokens.set(house.chain.depositAddress(wallet(7)), 1_000_000n)
    const { tokensOf } = house.chain
    house.chain.tokensOf = async () => 0n as never
    await house.keep()
    house.chain.tokensOf = tokensOf
    await house.pass(30)
    assert.equal(house.made(), ['sweep 7'])
  },
)

Lagging.run()
