import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeAttempt, type Owed } from '../../../actors/webhook/attempt.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'

/** The key that sealed a webhook's secret is in no list any more. */
const LostKey = suite('webhooks: a secret that no key opens')

const ID = webhookId(1)
const WEBHOOK = webhookRecord(ID, 'https://example.com/hook', ['credit.topup'])

async function attemptWith(put: (body: object, key: string, seconds: number) => Promise<void>) {
  const told: string[] = []
  const attempt = makeAttempt(
    {
      queues: { put },
      secrets: {
        open: () => {
          throw new Error('opens with none of the keys')
        },
      },
      sender: { send: () => assert.unreachable('nothing is sent') },
      ...{ clock: new ManualClock(), log: makeLog('test', 'silent') },
    } as never,
    async () => WEBHOOK,
  )
  await attempt({
    body: { webhookId: ID, eventId: 'evt_1', attempt: 1, round: 0 },
    sequence: 7,
    done: () => void told.push('done'),
    later: (ms: number) => void told.push(`later ${ms}`),
  } as Partial<Owed> as Owed)
  await rest()
  return told
}

LostKey('what is owed to it waits in a line, and is not held among what is due', async () => {
  const waits: number[] = []
  const told = await attemptWith(async (_body, _key, seconds) => void waits.push(seconds))
  assert.equal(waits, [300])
  assert.equal(told, ['done'])
})

LostKey('it is not let go before it is in the line', async () => {
  const told = await attemptWith(async () => {
    throw new Error('the store is away')
  })
  assert.equal(told, ['later 1000'])
})

LostKey.run()
