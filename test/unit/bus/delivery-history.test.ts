import { NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeDeliveryHistory } from '../../../src/bus/streams/delivery-history.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { attemptOf, NOW, retried, WEBHOOK } from '../../fakes/webhooks/attempts.ts'

/** A host may die between any two words of it to the stores. */
const Crash = suite('delivery history: an attempt that was made again')

const MESSAGE_NOT_FOUND = 10_037

/** A stream in memory, read message by message. */
function makeStream() {
  const messages: { subject: string; seq: number; data: Uint8Array }[] = []
  const js = {
    publish: async (subject: string, data: Uint8Array) => {
      const seq = messages.length + 1
      messages.push({ subject, seq, data })
      return { seq }
    },
  }
  const getMessage = async (_: string, query: { seq?: number; last_by_subj?: string }) => {
    const found = messages.findLast(
      ({ seq, subject }) => seq === query.seq || subject === query.last_by_subj,
    )
    if (found) return found
    const error = new NatsError('no message found', '404')
    error.api_error = { code: 404, err_code: MESSAGE_NOT_FOUND, description: 'no message found' }
    throw error
  }
  const log = makeLog('test', 'silent')
  return makeDeliveryHistory({
    stream: 'ATTEMPT',
    js,
    jsm: { streams: { getMessage } },
    log,
  } as never)
}

const all = { failedOnly: false, limit: 20 }
const later = { attempt: 2, at: toUnixMs(NOW + 30_000) }

Crash('is shown as it went on, where the host died before the next one was owed', async () => {
  const history = makeStream()
  await history.append(attemptOf(1, retried))
  const again = await history.append(attemptOf(1, retried))
  await history.append(attemptOf(1, { ...later, earlier: [again] }))
  const { deliveries } = await history.page(WEBHOOK, all)
  assert.equal(
    deliveries.map(({ status, attempts }) => [status, attempts.length]),
    [['delivered', 2]],
  )
})

Crash('and where it died after that: what was owed already goes on from the first', async () => {
  const history = makeStream()
  const first = await history.append(attemptOf(1, retried))
  await history.append(attemptOf(1, retried))
  await history.append(attemptOf(1, { ...later, earlier: [first] }))
  const { deliveries } = await history.page(WEBHOOK, all)
  assert.equal(
    deliveries.map(({ status, attempts }) => [status, attempts.length]),
    [['delivered', 2]],
  )
})

Crash.run()
