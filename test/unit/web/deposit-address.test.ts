import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import type { DepositAddressReply } from '../../../src/messages/keeper.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { depositAddress } from '../../../src/web/routes/deposit-address.ts'
import { makeFakeHouse } from '../../fakes/web/fake-house.ts'
import { signedInServer } from '../../fakes/web/signed-in-server.ts'

/** Where somebody is told to send money, and what money. */
const DepositAddresses = suite('web: deposit addresses')

const log = makeLog('web', 'silent')
const { config } = makeFakeHouse('http://chain.test', 0)
const OURS = toAddress(`0x${'d'.repeat(40)}`)

/** @param told by the keeper */
async function ask(told: Address) {
  const server = signedInServer()
  const reply: DepositAddressReply = {
    ...{ type: 'deposit_address', address: told },
    ...{ pendingCredits: toCredits(40), minimumCredits: toCredits(100) },
  }
  const bus = { request: async () => reply } as unknown as Bus
  depositAddress(server, { bus, reader: { depositAddress: () => OURS }, config, log })
  const { statusCode, body } = await server.inject('/api/deposit-address')
  return { statusCode, body: JSON.parse(body) }
}

DepositAddresses('are told with the token that is credited there, and its chain', async () => {
  const { statusCode, body } = await ask(OURS)
  assert.is(statusCode, 200)
  assert.equal(body, {
    ...{ address: OURS, chain_id: config.chain.id, usdg: config.contracts.usdg },
    ...{ pending_credits: 40, minimum_credits: 100 },
  })
})

DepositAddresses(
  'of other contracts than ours are told to nobody: the token would be ours',
  async () => {
    const { statusCode, body } = await ask(toAddress(`0x${'e'.repeat(40)}`))
    assert.is(statusCode, 503)
    assert.match(body.error.message, /Send nothing before you see it/)
  },
)

DepositAddresses.run()
