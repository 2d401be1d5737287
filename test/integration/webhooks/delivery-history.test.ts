import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import type { DeliveryView } from '../../../src/messages/webhook.ts'
import type { DeliveryHistory } from '../../../src/ports/delivery-history.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { attemptOf, failedForGood, retried, WEBHOOK } from '../../fakes/webhooks/attempts.ts'
import { type Server, startNats } from '../servers.ts'

const History = suite('delivery history on a real nats-server')
let server: Server
let nats: Nats
let history: DeliveryHistory
/** A webhook a test. */
let count = 0
let webhook = WEBHOOK

const log = makeLog('test', 'silent')

History.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log })
  history = await nats.deliveryHistory()
})
History.after(async () => {
  await nats?.close()
  await server?.stop()
})
History.before.each(() => {
  webhook = { ...WEBHOOK, webhookId: `wh_${String(count++).padStart(24, '0')}` }
})

const attempt = (...[event, more]: Parameters<typeof attemptOf>) =>
  attemptOf(event, { ...webhook, ...more })
const append = (...args: Parameters<typeof attemptOf>) => history.append(attempt(...args))
const page = (limit: number, cursor?: string, failedOnly = false) =>
  history.page(webhook, { failedOnly, limit, ...(cursor === undefined ? {} : { cursor }) })
const events = (deliveries: readonly DeliveryView[]) =>
  deliveries.map(({ eventId }) => Number(eventId.slice(4)))

History('pages newest first, none of another webhook’s, each delivery once', async () => {
  const other = { ...WEBHOOK, webhookId: 'wh_other' }
  for (let event = 1; event <= 25; event++) {
    await append(event)
    await history.append(attemptOf(100 + event, other))
  }
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const found = await page(10, cursor)
    seen.push(...events(found.deliveries))
    cursor = found.cursor ?? undefined
    // What comes meanwhile is no matter for a page further down.
    await append(1_000 + seen.length)
  } while (cursor !== undefined)
  assert.equal(
    seen,
    Array.from({ length: 25 }, (_, i) => 25 - i),
  )
})

History('a delivery shows all its attempts where its first one was made', async () => {
  const first = await append(1, retried)
  await append(2)
  const second = await append(1, { ...retried, attempt: 2, earlier: [first] })
  const waiting = await page(10)
  assert.equal(events(waiting.deliveries), [2, 1])
  assert.is(waiting.deliveries[1]!.status, 'waiting')
  assert.is(waiting.deliveries[1]!.attempts.length, 2)
  await append(1, { attempt: 3, earlier: [first, second], answerStart: 'ok' })
  const { deliveries } = await page(10)
  assert.equal(events(deliveries), [2, 1])
  const { eventId, attempts, status, body, position } = deliveries[1]!
  assert.is(status, 'delivered')
  assert.is(body, '{"id":1}')
  assert.equal(
    attempts.map((each) => [each.attempt, each.status]),
    [
      [1, 500],
      [2, 500],
      [3, 200],
    ],
  )
  assert.is((await history.find(webhook, eventId, position))?.attempts.length, 3)
  assert.is((await history.find(webhook, eventId))?.attempts.length, 3)
  assert.is(await history.find(webhook, 'evt_unknown', position), undefined)
  assert.is(await history.find({ ...webhook, webhookId: 'wh_x' }, eventId, position), undefined)
})

History('an attempt that a crash repeated is shown once, with what came after', async () => {
  await append(1, retried)
  const again = await append(1, retried)
  await append(1, { attempt: 2, earlier: [again] })
  const { deliveries } = await page(10)
  assert.is(deliveries.length, 1)
  assert.is(deliveries[0]!.status, 'delivered')
})

History('failed ones alone, until a replay has delivered the event', async () => {
  for (let event = 1; event <= 6; event++) {
    if (event % 2 === 0) await append(event)
    else {
      const first = await append(event, retried)
      await append(event, { ...failedForGood, attempt: 2, earlier: [first] })
    }
  }
  await append(7, { ...failedForGood, cause: 'test' })
  const failed = await page(10, undefined, true)
  assert.equal(events(failed.deliveries), [5, 3, 1])
  assert.equal(
    failed.deliveries.map(({ status, attempts }) => [status, attempts.length]),
    [
      ['failed', 2],
      ['failed', 2],
      ['failed', 2],
    ],
  )
  await append(3, { cause: 'replay', round: 1 })
  assert.equal(events((await page(10, undefined, true)).deliveries), [5, 1])
  const newest = await page(1, undefined, true)
  assert.equal(events(newest.deliveries), [5])
  assert.equal(events((await page(1, newest.cursor!, true)).deliveries), [1])
  // It failed anew after that.
  await append(3, { ...failedForGood, cause: 'replay', round: 2 })
  assert.equal(events((await page(10, undefined, true)).deliveries), [3, 5, 1])
})

History('many at once from two processes form one chain', async () => {
  const second = await connectNats({ servers: server.url, name: 'second', log })
  const histories = [history, await second.deliveryHistory()]
  await Promise.all(Array.from({ length: 60 }, (_, i) => histories[i % 2]!.append(attempt(i))))
  await second.close()
  const { deliveries, cursor } = await page(100)
  assert.is(cursor, null)
  assert.is(new Set(events(deliveries)).size, 60)
})

History('what is no cursor of this webhook finds nothing', async () => {
  await append(1)
  const elsewhere = await history.append(attemptOf(1, { webhookId: 'wh_elsewhere' }))
  for (const cursor of ['x', '-1', '0', '99999999', String(elsewhere)]) {
    assert.equal(await page(10, cursor), { deliveries: [], cursor: null })
  }
})

History.run()
