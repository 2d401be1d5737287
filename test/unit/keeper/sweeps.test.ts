import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openHouse, wallet } from './house.ts'

/** What lies at deposit addresses becomes credits, whoever takes it and wherever the chain goes back to. */
const Sweeps = suite('keeper: sweeps')

Sweeps('less than the minimum waits at its address for more', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep()
  const at = house.chain.depositAddress(wallet(7))
  house.chain.transfer(at, 999_999n)
  await house.pass(30)
  assert.equal(house.made(), [])
  house.chain.transfer(at, 1n)
  await house.pass(1)
  assert.equal(house.made(), ['sweep 7'])
})

Sweeps(
  'a sweep whose nonce went to another transaction is made again while tokens lie there',
  async () => {
    const house = openHouse()
    await house.wallets.set(wallet(7), {})
    await house.keep()
    const reason = 'the nonce was used by another transaction'
    house.chain.outcome = () => ({ type: 'needless', reason })
    house.chain.transfer(house.chain.depositAddress(wallet(7)), 1_000_000n)
    await house.pass(2)
    assert.equal(house.made(), ['sweep 7'])
    house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
    await house.pass(6)
    assert.equal(house.made(), ['sweep 7'])
    house.chain.transfer(house.chain.depositAddress(wallet(7)), 1_000_000n)
    await house.pass(2)
    assert.equal(house.made(), ['sweep 7'], 'the next one waits for nothing')
  },
)

Sweeps('a sweep that somebody else has made is not made again', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep()
  const at = house.chain.depositAddress(wallet(7))
  house.chain.outcome = () => {
    house.chain.tokens.delete(at)
    return { type: 'needless', reason: 'BelowMinimumDeposit' }
  }
  house.chain.transfer(at, 1_000_000n)
  await house.pass(60)
  assert.equal(house.made(), ['sweep 7'])
})

Sweeps('a reorg of blocks that lack confirmations: what it gave back is swept again', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep(12)
  const at = house.chain.depositAddress(wallet(7))
  house.chain.transfer(at, 1_000_000n)
  house.chain.mine(20)
  await house.pass(60)
  assert.equal(house.made(), ['sweep 7'])
  house.chain.goBack(15)
  house.chain.tokens.set(at, 1_000_000n)
  house.chain.mine(22)
  await house.pass(30)
  house.chain.mine(40)
  await house.pass(30)
  assert.equal(house.made(), ['sweep 7'])
  house.chain.mine(80)
  await house.pass(60)
  assert.equal(house.made(), [], 'what has stood is not looked for again')
})

Sweeps('a transfer that comes to be in a block which was heard of before is swept', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep(12)
  house.chain.mine(20)
  await house.pass(60)
  house.chain.goBack(15)
  house.chain.transfer(house.chain.depositAddress(wallet(7)), 1_000_000n)
  house.chain.mine(21)
  await house.pass(30)
  house.chain.mine(40)
  await house.pass(60)
  assert.equal(house.made(), ['sweep 7'])
})

Sweeps.run()
