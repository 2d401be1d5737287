import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress, toHex32, toJobId } from '../../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import type { Attempt, EventType, WebhookRecord } from '../../../src/messages/webhook.ts'
import { viewOf } from '../../fakes/jobs/views.ts'
import type { Call } from '../chain/calls.ts'
import type { Endpoint } from './endpoints.ts'
import { type Interested, judgeWebhooks } from './judge.ts'
import { judgeContents, judgeTopups } from './judge-contents.ts'

const WALLET = toAddress(`0x${'01'.repeat(20)}`)
const JOB = toJobId(`job_${'1'.repeat(26)}`)
const NOW = toUnixMs(1_000_000)
const SCHEDULE = [0, 1_000, 2_000]

const settled = viewOf(JOB, 'settled', { wallet: WALLET })
const PAID = {
  credits_charged: Number(settled.charged),
  worker_address: settled.worker,
  completion_tokens: settled.usage?.completionTokens,
  settlement_tx: settled.settlementTx,
}
const DUE: readonly EventType[] = ['job.submitted', 'job.processing', 'job.completed']

const received = (event: string, id = `evt_${event}`, more = {}) => ({
  at: NOW,
  eventId: id,
  body: JSON.stringify({
    id,
    event,
    data: { job_id: JOB, ...(event === 'job.completed' && PAID), ...more },
  }),
  acknowledged: true,
})
const endpoint = (...all: ReturnType<typeof received>[]): Endpoint => ({
  url: 'https://endpoint.example',
  kind: 'works',
  secret: 'secret',
  received: all,
  tried: all.length,
})
const whole = () => endpoint(...DUE.map((event) => received(event)))

function verdict(
  at: Endpoint,
  { status = 'active' as WebhookRecord['status'], attempts = [] as readonly Attempt[] } = {},
): readonly string[] {
  const webhook: Interested = { wallet: WALLET, webhookId: 'wh_1', events: DUE, endpoint: at }
  return judgeWebhooks([webhook], {
    jobs: [settled],
    attempts,
    record: () => ({ status }) as WebhookRecord,
    schedule: SCHEDULE,
    mayBeToldAnew: false,
    clocksApartMs: 0,
    wasUndone: () => false,
  })
}

function says(flaws: readonly string[], pattern: RegExp): void {
  assert.is(flaws.length, 1, flaws.join('\n'))
  assert.match(flaws[0]!, pattern)
}

const attempt = (more: Partial<Attempt>): Attempt =>
  ({
    webhookId: 'wh_1',
    eventId: 'evt_1',
    attempt: 1,
    at: NOW,
    status: 500,
    delivered: false,
    nextAt: addMs(NOW, 1_000),
    ...more,
  }) as Attempt
const delivered = (more: Partial<Attempt>) =>
  attempt({ status: 200, delivered: true, nextAt: null, ...more })

test('what is due and came, perhaps twice, is no flaw', () => {
  assert.equal(verdict(whole()), [])
  assert.equal(verdict(endpoint(...whole().received, received('job.submitted'))), [])
})

test('an event that never came', () => {
  says(verdict(endpoint(received('job.submitted'), received('job.processing'))), /job.completed/)
  assert.equal(verdict(endpoint(), { status: 'failed' }), [])
})

test('an event that did not happen, or of nobody', () => {
  says(verdict(endpoint(...whole().received, received('job.failed'))), /did not ask/)
})

test('one event under two ids, or in two bodies', () => {
  const again = received('job.submitted', 'evt_other')
  says(verdict(endpoint(...whole().received, again)), /two ids/)
  const changed = received('job.submitted', 'evt_job.submitted', { more: 1 })
  says(verdict(endpoint(...whole().received, changed)), /two bodies/)
})

const DEPOSIT = { wallet: WALLET, tx: toHex32(`0x${'d'.repeat(64)}`), credits: 100n, isDue: true }
const topup = (id: string, credits = 100) =>
  ({ id, event: 'credit.topup', data: { tx: DEPOSIT.tx, credits_added: credits } }) as const

test('an event that tells of other money, or of a transaction of another kind or job', () => {
  const flawsOf = (data: object, call?: Call) =>
    judgeContents({ id: 'evt_1', event: 'job.completed', data: { ...PAID, ...data } }, settled, {
      ...(call && { callOf: () => call }),
      wasUndone: () => false,
    })
  assert.equal(flawsOf({}), [])
  says(flawsOf({ credits_charged: PAID.credits_charged + 1 }), /credits_charged/)
  says(flawsOf({ settlement_tx: null }), /names no settlement/)
  says(flawsOf({}, { type: 'refundBatch', jobIds: [JOB] }), /settlement_tx .* is none of it/)
  says(flawsOf({}, { type: 'settleBatch', items: [] }), /settlement_tx .* is none of it/)
})

test('a deposit that is told of never, twice, or as another', () => {
  assert.equal(judgeTopups([topup('evt_1'), topup('evt_1')], [DEPOSIT], false), [])
  assert.equal(judgeTopups([], [{ ...DEPOSIT, isDue: false }], false), [])
  says(judgeTopups([], [DEPOSIT], true), /never heard of the deposit/)
  says(judgeTopups([topup('evt_1'), topup('evt_2')], [DEPOSIT], false), /which is no deposit/)
  assert.is(judgeTopups([topup('evt_1', 99)], [DEPOSIT], false).length, 2)
})

test('attempts: too early, too many, left alone', () => {
  const second = delivered({ attempt: 2, at: addMs(NOW, 1_000) })
  assert.equal(verdict(whole(), { attempts: [attempt({}), second] }), [])
  const later = attempt({ nextAt: addMs(NOW, 60_000) })
  says(verdict(whole(), { attempts: [later, second] }), /too early/)
  says(verdict(whole(), { attempts: [attempt({})] }), /rests after attempt 1/)
  const fourth = delivered({ attempt: 4, at: addMs(NOW, 9_000) })
  const third = attempt({ attempt: 3, nextAt: addMs(NOW, 8_000), at: addMs(NOW, 3_000) })
  const all = [attempt({}), attempt({ attempt: 2, at: addMs(NOW, 1_500) }), third, fourth]
  says(verdict(whole(), { attempts: all }), /attempt 4/)
})

test('a webhook of which a delivery failed for good has failed', () => {
  const last = attempt({ attempt: 3, nextAt: null })
  const attempts = [attempt({ nextAt: NOW }), attempt({ attempt: 2, nextAt: NOW }), last]
  says(verdict(whole(), { attempts }), /failed, and it has not/)
  assert.equal(verdict(whole(), { attempts, status: 'failed' }), [])
})

test.run()
