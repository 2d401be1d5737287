import { setImmediate as turn } from 'node:timers/promises'
import { ErrorCode, type Msg, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeAccountService } from '../../../actors/account/service.ts'
import { makeWebhookService } from '../../../actors/webhook/service.ts'
import { encode } from '../../../src/bus/codec.ts'
import { makeCoreBus } from '../../../src/bus/core/core-bus.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'
import { ScriptedSetAsides, ScriptedVouchers } from '../../fakes/chain/scripted-vouchers.ts'

/** Whoever may speak on a subject may say anything there: that costs an answer, and never the process. */
const Bad = suite('bus: what nobody expects')

/** A bus, what arrives at it from its server, and what it logs as an error. */
function stage() {
  const heard = new Map<string, (error: null, message: Msg) => void>()
  const connection = {
    status: async function* () {},
    isClosed: () => false,
    subscribe: (subject: string, options: { callback(error: null, message: Msg): void }) => {
      heard.set(subject, options.callback)
      return { unsubscribe: () => {} }
    },
  }
  const errors: string[] = []
  const log = makeLog('test', 'error', { write: (line) => void errors.push(line) })
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  return {
    ...{ bus: makeCoreBus(connection as never, log), log, errors, unhandled },
    say: async (subject: string, data: Uint8Array, respond = (_: Uint8Array) => true) => {
      const message = { subject, reply: '_INBOX.1', data, respond }
      heard.get(subject)!(null, message as unknown as Msg)
      for (let turns = 0; turns < 3; turns++) await turn()
    },
    end: () => process.off('unhandledRejection', note),
  }
}

const NOTHING = new Uint8Array()

Bad('nothing at all, where wallets are loaded, credits withdrawn and webhooks made', async () => {
  const { bus, log, errors, unhandled, say, end } = stage()
  const account = makeAccountService({
    ...{ bus, log, clock: new ManualClock(), ledger: new RecordingLedger() },
    ...{ setAsides: new ScriptedSetAsides(), vouchers: new ScriptedVouchers() },
    load: async () => {},
  })
  const webhooks = makeWebhookService({ bus, log, handlers: {} })
  await account.start()
  await webhooks.start()
  const subjects = [SUBJECTS.accountLoad, SUBJECTS.accountWithdraw, SUBJECTS.webhooks]
  for (const subject of subjects) await say(subject, NOTHING)
  end()
  assert.equal(unhandled, [])
  assert.is(errors.length, subjects.length)
  for (const [i, subject] of subjects.entries()) assert.match(errors[i]!, subject)
  await account.stop()
  await webhooks.stop()
})

Bad('an answer that is larger than the servers take', async () => {
  const { bus, errors, unhandled, say, end } = stage()
  bus.subscribe('asked', async (_message, _subject, respond) => respond('a long answer'))
  await say('asked', encode({}), () => {
    throw new NatsError('max payload', ErrorCode.MaxPayloadExceeded)
  })
  end()
  assert.equal(unhandled, [])
  assert.match(errors[0]!, 'max payload')
})

Bad.run()
