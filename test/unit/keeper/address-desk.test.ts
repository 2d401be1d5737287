import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DepositAddressReply } from '../../../src/messages/keeper.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { type House, openHouse, wallet } from './house.ts'

/** What is sent to an address that nobody watches, or that the escrow does not know, would be lost. */
const Desk = suite('keeper: where to send tokens')

const ask = (house: House) =>
  house.bus.request<DepositAddressReply>(SUBJECTS.depositAddress, { wallet: wallet(7) }, 1_000)

Desk(
  'an address is told with what lies there; from then on it is watched, by whoever',
  async () => {
    const house = openHouse()
    const at = house.chain.depositAddress(wallet(7))
    house.chain.tokens.set(at, 19_999n)
    const keeper = await house.keep()
    assert.equal(await ask(house), {
      ...{ type: 'deposit_address', address: at },
      ...{ pendingCredits: 1n, minimumCredits: 100n },
    })
    await keeper.stop()
    await house.keep()
    house.chain.transfer(at, 1_000_000n)
    await house.pass(2)
    assert.equal(house.made(), ['sweep 7'])
  },
)

Desk('a wallet that cannot be kept in mind is told no address', async () => {
  const house = openHouse()
  await house.keep()
  house.wallets.set = async () => {
    throw new Error('no NATS')
  }
  assert.equal(await ask(house), { type: 'unavailable', reason: 'no NATS' })
})

Desk(
  'an escrow that makes other addresses: none is told, and nothing is called there',
  async () => {
    const house = openHouse()
    house.chain.checkDepositAddresses = async () => {
      throw new Error('another version')
    }
    await house.wallets.set(wallet(8), {})
    house.chain.tokens.set(house.chain.depositAddress(wallet(8)), 1_000_000n)
    await house.keep()
    assert.equal(await ask(house), { type: 'unavailable', reason: 'another version' })
    await house.pass(5)
    assert.equal(house.made(), [])
    house.chain.checkDepositAddresses = async () => {}
    await house.pass(5)
    assert.equal(house.made(), ['sweep 8'], 'once it is known again')
  },
)

Desk.run()
