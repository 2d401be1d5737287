import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RelayOutcome } from '../../../src/ports/web-chain.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { deposits } from '../../../src/web/routes/deposits.ts'
import { signedInServer } from '../../fakes/web/signed-in-server.ts'

/** What the app is told of a purchase that it hands in. */
const Deposits = suite('web: purchases that are handed in')

const log = makeLog('web', 'silent')

async function answerTo(outcome: RelayOutcome) {
  const server = signedInServer()
  deposits(server, { relay: { submit: async () => outcome }, log })
  const payload = {
    ...{ credits: 100, valid_after: 0, valid_before: 2_000_000_000 },
    ...{ salt: `0x${'5'.repeat(64)}`, signature: `0x${'1'.repeat(128)}1b` },
  }
  const { statusCode, body } = await server.inject({
    ...{ method: 'POST', url: '/api/deposits', payload },
  })
  return { statusCode, ...JSON.parse(body) }
}

// After a 422 the app signs anew, and what is on its way would be paid besides that.
Deposits(
  'on its way already: to be handed in again, and nobody says that nothing was paid',
  async () => {
    const { statusCode, error } = await answerTo({ type: 'under_way' })
    assert.equal([statusCode, error.code], [503, 'service_unavailable'])
    assert.not.match(error.message, /Nothing was paid/)
  },
)

Deposits('that the contract refuses: nothing was paid', async () => {
  const { statusCode, error } = await answerTo({ type: 'refused', reason: 'EnforcedPause' })
  assert.equal([statusCode, error.code], [422, 'deposit_refused'])
  assert.match(error.message, /Nothing was paid/)
})

Deposits.run()
