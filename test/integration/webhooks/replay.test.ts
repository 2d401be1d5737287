import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { historyRequests } from '../../../actors/webhook/history-requests.ts'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import type { WebhookHandlers } from '../../../actors/webhook/requests.ts'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import {
  API_VERSION,
  type Delivery,
  EVENT_TYPES,
  type EventType,
  type WebhookRecord,
  type WebhookReply,
} from '../../../src/messages/webhook.ts'
import type { DeliveryHistory } from '../../../src/ports/delivery-history.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import {
  attemptOf,
  failedForGood,
  NOW,
  retried,
  WALLET,
  WEBHOOK,
} from '../../fakes/webhooks/attempts.ts'
import { lowFact, slashedFact, topupFact } from '../../fakes/webhooks/facts.ts'
import { type Server, startNats } from '../servers.ts'

const Replay = suite('history, replay and test events of webhooks on a real nats-server')
let server: Server
let nats: Nats
let history: DeliveryHistory
let handlers: Pick<WebhookHandlers, 'ListDeliveries' | 'SendTestEvent' | 'ReplayDeliveries'>
let registry: MemoryRegistry
let owed: Delivery[]
/** A webhook a test. */
let webhook = WEBHOOK
let count = 0

const log = makeLog('test', 'silent')
const OTHER = toAddress(`0x${'bb'.repeat(20)}`)

Replay.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log })
  history = await nats.deliveryHistory()
})
Replay.after(async () => {
  await nats?.close()
  await server?.stop()
})
Replay.before.each(async () => {
  webhook = { ...WEBHOOK, webhookId: `wh_${String(count++).padStart(24, '0')}` }
  owed = []
  registry = new MemoryRegistry()
  handlers = historyRequests({
    records: makeWebhookRecords(registry),
    history,
    facts: await nats.factReader(),
    owe: async (delivery) => {
      owed.push(delivery)
    },
    room: async () => undefined,
    clock: systemClock,
  })
})

async function store(events: readonly EventType[], more: Partial<WebhookRecord> = {}) {
  const record: WebhookRecord = {
    id: webhook.webhookId,
    url: 'https://example.com/hook',
    events,
    createdAt: toUnixMs(NOW),
    apiVersion: API_VERSION,
    status: 'active',
    sealedSecret: '',
    ...more,
  }
  await registry.set(WALLET, { webhooks: [record] })
}
const statusNow = async () => {
  const { value } = (await registry.get(WALLET))!
  return (value as { webhooks: WebhookRecord[] }).webhooks[0]!.status
}
const append = (event: number, more: Parameters<typeof attemptOf>[1] = {}) =>
  history.append(attemptOf(event, { ...webhook, ...more }))
const replay = (which: Parameters<typeof handlers.ReplayDeliveries>[0]['which'], cursor?: string) =>
  handlers.ReplayDeliveries({
    type: 'ReplayDeliveries',
    ...webhook,
    which,
    ...(cursor === undefined ? {} : { cursor }),
  })
const list = (more: { limit?: number; cursor?: string; failedOnly?: boolean } = {}) =>
  handlers.ListDeliveries({
    type: 'ListDeliveries',
    ...webhook,
    failedOnly: false,
    limit: 10,
    ...more,
  })
const codeOf = (reply: WebhookReply) => (reply.type === 'refused' ? reply.refusal.code : reply.type)

Replay('a webhook of another wallet is none', async () => {
  await store(['credit.topup'])
  const stranger = { ...webhook, wallet: OTHER }
  const replies = [
    await handlers.ListDeliveries({
      type: 'ListDeliveries',
      ...stranger,
      failedOnly: false,
      limit: 10,
    }),
    await handlers.SendTestEvent({ type: 'SendTestEvent', ...stranger, event: 'job.failed' }),
    await handlers.ReplayDeliveries({
      type: 'ReplayDeliveries',
      ...stranger,
      which: { type: 'failed' },
    }),
  ]
  assert.equal(replies.map(codeOf), Array(3).fill('webhook_not_found'))
  assert.equal(owed, [])
})

Replay('a list names what is wrong with its limit or cursor', async () => {
  await store(['credit.topup'])
  await append(1)
  for (const limit of [0, 101, 1.5]) assert.is(codeOf(await list({ limit })), 'invalid_request')
  for (const cursor of ['', 'x', '-1']) assert.is(codeOf(await list({ cursor })), 'invalid_request')
  const reply = await list({ limit: 1 })
  assert.is(reply.type === 'deliveries' && reply.deliveries.length, 1)
})

for (const event of EVENT_TYPES) {
  Replay(`test event ${event}: one delivery that says that it is made up`, async () => {
    await store([])
    const reply = await handlers.SendTestEvent({ type: 'SendTestEvent', ...webhook, event })
    assert.is(reply.type, 'test_sent')
    const [delivery] = owed
    assert.equal([owed.length, delivery!.cause, delivery!.eventType], [1, 'test', event])
    const body = JSON.parse(delivery!.body)
    assert.match(body.id, /^evt_test[0-9a-f]{28}$/)
    assert.is(body.id, reply.type === 'test_sent' && reply.eventId)
    assert.is(body.event, event)
    assert.is(body.api_version, API_VERSION)
    assert.is(new Date(body.created_at).toISOString(), body.created_at)
    if (event.startsWith('job.')) assert.match(body.data.job_id, /^job_[0-9a-z]{26}$/)
    if (event === 'job.completed') {
      assert.equal(Object.keys(body.data).sort(), COMPLETED_FIELDS)
      assert.ok(Object.values(body.data).every((value) => value !== null))
    }
  })
}

/** Specification, `data` of `job.completed`. */
const COMPLETED_FIELDS = [
  'job_id',
  ...['model', 'tier', 'credits_charged', 'usdg_value', 'worker_address', 'settlement_tx'],
  ...['block_number', 'prompt_tokens', 'completion_tokens', 'credits_remaining'],
].sort()

Replay('one delivery, to the byte, with a new count; the webhook is active again', async () => {
  await store(['credit.topup'], { status: 'failed' })
  const first = await append(1, retried)
  await append(1, { ...failedForGood, attempt: 2, earlier: [first] })
  const listed = await list()
  assert.is(listed.type, 'deliveries')
  const [view] = listed.type === 'deliveries' ? listed.deliveries : []
  for (const position of [{ position: view!.position }, {}]) {
    owed = []
    const reply = await replay({ type: 'one', eventId: view!.eventId, ...position })
    assert.equal(reply, { type: 'replayed', events: 1, cursor: null })
    const { cause, attempt, earlier, body, round } = owed[0]!
    assert.equal([cause, attempt, earlier, body], ['replay', 1, [], '{"id":1}'])
    assert.ok(round > 0)
  }
  assert.is(await statusNow(), 'active')
})

Replay('an unknown delivery is refused, and changes nothing', async () => {
  await store(['credit.topup'], { status: 'failed' })
  assert.is(codeOf(await replay({ type: 'one', eventId: 'evt_none' })), 'delivery_not_found')
  assert.is(await statusNow(), 'failed')
})

Replay(
  'a test event is sent once: no replay tries it five times, or fails its webhook',
  async () => {
    await store(['credit.topup'], { status: 'failed' })
    const eventId = `evt_test${'0'.repeat(28)}`
    await append(1, { ...failedForGood, cause: 'test', eventId })
    assert.is(codeOf(await replay({ type: 'one', eventId })), 'invalid_request')
    assert.equal([owed, await statusNow()], [[], 'failed'])
  },
)

Replay('all failed ones, each event once, none that was delivered since', async () => {
  await store(['credit.topup'], { status: 'failed' })
  for (let event = 1; event <= 250; event++) await append(event, failedForGood)
  await append(7, { ...failedForGood, cause: 'replay', round: 1 })
  await append(9, { cause: 'replay', round: 1 })
  await append(300)
  const reply = await replay({ type: 'failed' })
  assert.equal(reply, { type: 'replayed', events: 249, cursor: null })
  assert.is(new Set(owed.map(({ eventId }) => eventId)).size, 249)
  assert.is(owed.length, 249)
  assert.is(await statusNow(), 'active')
})

Replay('a time range: what the webhook asks for and may see, sent before or not', async () => {
  await store(['credit.topup', 'worker.slashed'])
  const facts = await nats.facts()
  const start = Date.now()
  const told: string[] = []
  for (let i = 0; i < 1_500; i++) {
    const at = toUnixMs(start + i)
    await facts.publish(topupFact(OTHER, at, i))
    if (i % 3 === 0) await facts.publish(lowFact(WALLET, at, i))
    const fact = i % 2 === 0 ? topupFact(WALLET, at, i) : slashedFact(at, i)
    await facts.publish(fact)
    if (i >= 100 && i <= 1_400) told.push(fact.id)
  }
  const which = {
    type: 'range',
    from: toUnixMs(start + 100),
    to: toUnixMs(start + 1_400),
  } as const
  let cursor: string | undefined
  let events = 0
  let requests = 0
  do {
    const reply = await replay(which, cursor)
    assert.is(reply.type, 'replayed')
    if (reply.type !== 'replayed') break
    events += reply.events
    cursor = reply.cursor ?? undefined
    requests++
  } while (cursor !== undefined)
  assert.is(events, 1_301)
  assert.ok(requests > 1, 'more than one request takes')
  assert.equal(
    owed.map(({ eventId }) => eventId),
    told,
  )
  const { body } = owed[0]!
  assert.equal(Object.keys(JSON.parse(body)), ['id', 'event', 'created_at', 'api_version', 'data'])
  assert.is(codeOf(await replay({ ...which, from: which.to, to: which.from })), 'invalid_request')
  assert.is(
    codeOf(await replay({ ...which, from: Number.NaN as typeof which.from })),
    'invalid_request',
  )
})

Replay('facts read while they are told come in order, none is missed', async () => {
  const wallet = toAddress(`0x${'cc'.repeat(20)}`) as Address
  const reader = await nats.factReader()
  const facts = await nats.facts()
  const cursor = reader.open(wallet, await reader.newest())
  const at = toUnixMs(Date.now())
  const told = Array.from({ length: 300 }, (_, i) =>
    i % 2 === 0 ? topupFact(wallet, at, i) : slashedFact(at, 10_000 + i),
  )
  const telling = Promise.all(told.map((fact) => facts.publish(fact)))
  const seen: string[] = []
  let sequence = 0
  const deadline = performance.now() + 20_000
  while (seen.length < told.length && performance.now() < deadline) {
    const next = await cursor.next()
    if (!next) continue
    assert.ok(next.sequence > sequence, 'in order')
    sequence = next.sequence
    seen.push(next.fact.id)
  }
  await telling
  assert.equal(seen.sort(), told.map(({ id }) => id).sort())
  assert.is(await cursor.next(), undefined)
  // Of a stream that is no more.
  const lost = reader.open(wallet, 9_999_999)
  assert.is(await lost.next(), undefined)
  await facts.publish(topupFact(wallet, at, 999))
  assert.is((await lost.next())?.fact.id, topupFact(wallet, at, 999).id)
})

Replay.run()
