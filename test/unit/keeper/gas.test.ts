import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Earnings } from '../../../src/ports/keeper.ts'
import { nameOf, openHouse, UNPAID, wallet } from './house.ts'
import { told } from './stories.ts'

/** What its calls cost, and what it does where there is no money for them. */
const Gas = suite('keeper: gas')

Gas('an empty purse is told of once, and filled it goes on by itself', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1), told(10, 'locked', 2))
  house.chain.mine(300)
  house.chain.outcome = () => UNPAID
  await house.keep()
  await house.pass(120)
  assert.ok(house.made().length <= 13, 'a try every ten seconds')
  const [line, ...more] = house.told('error')
  assert.match(line!, new RegExp(`${house.chain.address}, at least 1000 wei`))
  assert.is(more.length, 0)
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(15)
  assert.equal(house.made(), ['refund 1', 'refund 2'])
})

Gas('an empty purse is not taken for full where a call turns out to be needless', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1), told(10, 'locked', 2))
  house.chain.mine(300)
  house.chain.outcome = (call) =>
    nameOf(call) === 1 ? { type: 'needless', reason: 'JobNotLocked' } : UNPAID
  await house.keep()
  await house.pass(120)
  assert.is(house.told('error').length, 1)
  assert.not.ok(house.told('info').includes('keeper: has gas money again'))
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(60)
  assert.ok(house.told('info').includes('keeper: has gas money again'))
})

Gas(
  'a node that wants more than the gas costs: the sum that is asked for is no less than nothing',
  async () => {
    const house = openHouse()
    house.chain.mine(10, told(10, 'locked', 1))
    house.chain.mine(300)
    house.chain.outcome = () => ({ type: 'unfunded', balanceWei: 1_200n, neededWei: 1_000n })
    await house.keep()
    assert.match(house.told('error')[0]!, new RegExp(`${house.chain.address}, at least 1000 wei`))
  },
)

Gas('a claim may cost less gas than what callers wait for', async () => {
  const house = openHouse()
  const ceilings: string[] = []
  const { perform } = house.chain
  house.chain.perform = async (call, ceilingWei?: bigint) => {
    ceilings.push(`${call.type} ${ceilingWei}`)
    return perform.call(house.chain, call)
  }
  house.chain.mine(10, told(10, 'locked', 1), told(10, 'settled', 2), told(10, 'disputed', 2))
  house.chain.earnings.set(1, { total: 2_000_000n, claimable: 2_000_000n } as Earnings)
  house.chain.tokens.set(house.chain.depositAddress(wallet(7)), 1_000_000n)
  await house.wallets.set(wallet(7), {})
  house.chain.mine(100_000)
  await house.keep()
  assert.equal(ceilings, ['sweep 200', 'refund 200', 'end_dispute 200', 'claim 20'])
})

Gas('gas that is too dear is waited out', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  house.chain.mine(300)
  house.chain.outcome = () => ({ type: 'too_dear', feeWei: 500n })
  await house.keep()
  await house.pass(20)
  assert.is(house.made().length, 1)
  assert.is(house.told('warn').length, 1)
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(20)
  assert.equal(house.made(), ['refund 1'])
})

Gas('gas that is too dear for claims alone is told of once, while all else goes on', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'settled', 1))
  house.chain.earnings.set(1, { total: 2_000_000n, claimable: 2_000_000n } as Earnings)
  house.chain.mine(100_000)
  house.chain.outcome = ({ type }) =>
    type === 'claim' ? { type: 'too_dear', feeWei: 50n } : { type: 'done', tx: '0x' as never }
  await house.keep()
  for (const n of [7, 8]) {
    await house.wallets.set(wallet(n), {})
    house.chain.transfer(house.chain.depositAddress(wallet(n)), 1_000_000n)
    await house.pass(31)
  }
  assert.equal(
    house.made().filter((call) => call !== 'claim treasury'),
    [...['claim 1', 'sweep 7', 'claim 1', 'sweep 8', 'claim 1']],
  )
  assert.is(house.told('warn').filter((text) => /too dear/.test(text)).length, 1)
})

Gas.run()
