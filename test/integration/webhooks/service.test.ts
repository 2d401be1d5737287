import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeWebhookId } from '../../../src/domain/webhook-id.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { WebhookReply, WebhookRequest } from '../../../src/messages/webhook.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeWebhookHouse } from '../../fakes/webhooks/webhook-house.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

/** Several hosts that answer for the same webhooks, on a real nats-server. */
const Service = suite('webhook service on a real nats-server')
const WALLET = toAddress(`0x${'aa'.repeat(20)}`)
const SECRET = 'a-secret-of-a-test'
const log = makeLog('test', 'silent')
let server: Server
let nats: Nats[] = []

Service.before(async () => {
  server = await startNats()
  nats = await Promise.all(
    [1, 2, 3].map((i) => connectNats({ servers: server.url, name: `test-${i}`, log })),
  )
  for (const { bus, registry } of nats) {
    await makeWebhookHouse({ bus, registry: await registry('WEBHOOKS') }).start()
  }
  for (const { bus } of nats) await bus.flush()
})
Service.after(async () => {
  for (const each of nats) await each.close()
  await server?.stop()
})

const ask = (request: WebhookRequest, withinMs = 20_000) =>
  nats[0]!.bus.request<WebhookReply>(SUBJECTS.webhooks, request, withinMs)
const create = (id = makeWebhookId(systemClock.randomBytes(24)), wallet = WALLET) =>
  ask({
    ...{ type: 'CreateWebhook', id, wallet, secret: SECRET },
    ...{ url: 'https://example.com/', events: ['job.completed'] },
  })
const list = async (wallet = WALLET, withinMs = 20_000) => {
  const reply = await ask({ type: 'ListWebhooks', wallet }, withinMs)
  assert.ok(reply.type === 'webhooks')
  return reply.webhooks
}

Service('the limit holds across hosts, whatever comes at once', async () => {
  const replies = await Promise.all(Array.from({ length: 60 }, () => create()))
  const count = (test: (reply: WebhookReply) => boolean) => replies.filter(test).length
  assert.is(
    count(({ type }) => type === 'webhook'),
    20,
  )
  assert.is(
    count((reply) => reply.type === 'refused' && reply.refusal.code === 'webhook_limit_reached'),
    40,
  )
  assert.is((await list()).length, 20)
})

Service('one request, sent ten times at once, makes one webhook', async () => {
  const wallet = toAddress(`0x${'bb'.repeat(20)}`)
  const id = makeWebhookId(systemClock.randomBytes(24))
  const replies = await Promise.all(Array.from({ length: 10 }, () => create(id, wallet)))
  for (const reply of replies) assert.equal(reply, replies[0])
  assert.is((await list(wallet)).length, 1)
})

Service('deletions at once all count', async () => {
  const ids = (await list()).map(({ id }) => id)
  const replies = await Promise.all(
    [...ids, ...ids].map((webhookId) => ask({ type: 'DeleteWebhook', wallet: WALLET, webhookId })),
  )
  assert.is(replies.filter(({ type }) => type === 'deleted').length, ids.length)
  assert.equal(await list(), [])
})

Service('the store holds no secret, and survives a crash of the server', async () => {
  const wallet = toAddress(`0x${'cc'.repeat(20)}`)
  await create(undefined, wallet)
  const raw = await connect({ servers: server.url })
  const kept = await (await raw.jetstream().views.kv('WEBHOOKS')).get(wallet)
  assert.ok(kept)
  assert.not.match(Buffer.from(kept!.value).toString('latin1'), SECRET)
  await raw.close()
  await server.crash()
  const webhooks = await until('an answer', () => list(wallet, 2_000).catch(() => undefined))
  assert.is(webhooks.length, 1)
})

Service.run()
