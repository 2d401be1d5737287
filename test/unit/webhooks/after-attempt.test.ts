import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  attemptOf,
  deliveryKey,
  isLastFailure,
  nextOf,
  waitFor,
} from '../../../actors/webhook/after-attempt.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import type { Delivery } from '../../../src/messages/webhook.ts'
import type { WebhookAnswer } from '../../../src/ports/webhook-sender.ts'

const After = suite('after an attempt')

const at = toUnixMs(1_800_000_000_000)
const endedAt = addMs(at, 10_000)
const schedule = [0, 30_000, 300_000, 1_800_000, 7_200_000]
const delivery: Delivery = {
  wallet: toAddress(`0x${'aa'.repeat(20)}`),
  webhookId: 'wh_1',
  eventId: 'evt_1',
  eventType: 'credit.topup',
  body: '{}',
  attempt: 1,
  dueAt: at,
  cause: 'event',
  round: 0,
  earlier: [],
  since: at,
}
const answer = (delivered: boolean): WebhookAnswer => ({
  delivered,
  status: delivered ? 200 : 500,
  error: delivered ? null : 'answered 500',
  answerStart: '',
  latencyMs: 12.4,
})
const made = (more: Partial<Delivery>, delivered = false) =>
  attemptOf({ ...delivery, ...more }, answer(delivered), { at, endedAt, schedule })

After('each failure is followed by its wait, counted from its end', () => {
  const waits = [1, 2, 3, 4].map((attempt) => made({ attempt }).nextAt! - endedAt)
  assert.equal(waits, [30_000, 300_000, 1_800_000, 7_200_000])
})
After('the fifth is the last, and the webhook has failed', () => {
  const last = made({ attempt: 5 })
  assert.is(last.nextAt, null)
  assert.ok(isLastFailure(last))
  assert.not(isLastFailure(made({ attempt: 4 })))
})
After('what was delivered owes nothing', () => {
  const done = made({ attempt: 5 }, true)
  assert.is(done.nextAt, null)
  assert.not(isLastFailure(done))
  assert.is(nextOf(delivery, done, 7), undefined)
})
After('a test is tried once, and says nothing of the webhook', () => {
  const tried = made({ cause: 'test' })
  assert.is(tried.nextAt, null)
  assert.not(isLastFailure(tried))
})
After('the next one goes on with the count, and knows where the earlier ones are kept', () => {
  const second = nextOf(delivery, made({}), 7)
  assert.equal(second, { ...delivery, attempt: 2, dueAt: addMs(endedAt, 30_000), earlier: [7] })
  const third = nextOf(second!, made({ attempt: 2, earlier: [7] }), 9)
  assert.equal([third?.attempt, third?.earlier], [3, [7, 9]])
  assert.is(deliveryKey(third!), 'evt_1.wh_1.0.3')
})
After('a wait is the longest line that is not too long', () => {
  assert.equal([0, 999, 1_000, 4_999, 30_000, 100_000_000].map(waitFor), [0, 0, 1, 1, 30, 7_200])
})

After.run()
