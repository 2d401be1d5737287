import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import { type WebhookHandlers, webhookRequests } from '../../../actors/webhook/requests.ts'
import { makeSecrets } from '../../../actors/webhook/secrets.ts'
import { makeWebhookService } from '../../../actors/webhook/service.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { err, ok, type Result } from '../../../src/domain/result.ts'
import { makeWebhookId } from '../../../src/domain/webhook-id.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type {
  CreateWebhook,
  WalletWebhooks,
  WebhookReply,
  WebhookRequest,
} from '../../../src/messages/webhook.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

const Service = suite('webhook service')
const WALLET = toAddress(`0x${'11'.repeat(20)}`)
const OTHER = toAddress(`0x${'22'.repeat(20)}`)
const SECRET = 'a-secret-of-a-test'
const log = makeLog('test', 'silent')
const newId = () => makeWebhookId(systemClock.randomBytes(24))

interface House {
  readonly ask: (request: WebhookRequest) => Promise<WebhookReply>
  readonly registry: MemoryRegistry
  readonly checked: string[]
  readonly records: ReturnType<typeof makeWebhookRecords>
  readonly secrets: ReturnType<typeof makeSecrets>
}

async function open(
  verdict: Result<void, string> = ok(undefined),
  more: Partial<WebhookHandlers> = {},
): Promise<House> {
  const bus = new CuttableBus()
  const registry = new MemoryRegistry()
  const checked: string[] = []
  const targets = {
    check: async (url: string) => {
      checked.push(url)
      return verdict
    },
  }
  const records = makeWebhookRecords(registry)
  const secrets = makeSecrets([new Uint8Array(32).fill(1)], systemClock)
  const handlers = webhookRequests({ records, secrets, targets, clock: systemClock })
  await makeWebhookService({ handlers: { ...handlers, ...more }, bus, log }).start()
  return {
    ask: (request) => bus.request<WebhookReply>(SUBJECTS.webhooks, request, 10_000),
    ...{ registry, checked, records, secrets },
  }
}

const create = (more: Partial<CreateWebhook> = {}): CreateWebhook => ({
  type: 'CreateWebhook',
  id: newId(),
  wallet: WALLET,
  url: 'https://example.com/hooks',
  events: ['job.completed', 'worker.slashed'],
  secret: SECRET,
  ...more,
})
async function made(ask: House['ask'], request = create()) {
  const reply = await ask(request)
  assert.ok(reply.type === 'webhook')
  return reply.webhook
}
const codeOf = (reply: WebhookReply) => (reply.type === 'refused' ? reply.refusal.code : reply.type)

Service('a webhook is kept with its secret sealed, and told without it', async () => {
  const { ask, records, secrets, registry } = await open()
  const request = create()
  const reply = await ask(request)
  assert.ok(reply.type === 'webhook')
  const { id, createdAt, ...rest } = reply.webhook
  assert.match(id, /^wh_[0-9a-z]{24}$/)
  assert.ok(createdAt > 0)
  assert.equal(rest, {
    ...{ url: request.url, events: request.events },
    ...{ apiVersion: '2026-06-01', status: 'active' },
  })
  const [kept] = (await records.of(WALLET)).webhooks
  assert.is(secrets.open(kept!), SECRET)
  assert.not.match(JSON.stringify([...registry.entries]), SECRET)
})

Service('the same request twice makes one webhook, and looks at its host once', async () => {
  const { ask, checked } = await open()
  const request = create()
  const first = await ask(request)
  assert.equal(await ask(request), first)
  const list = await ask({ type: 'ListWebhooks', wallet: WALLET })
  assert.ok(list.type === 'webhooks' && list.webhooks.length === 1)
  assert.is(checked.length, 1)
})

Service('a request that made a webhook, which was deleted, makes one of another id', async () => {
  // What is owed to the deleted one finds its webhook by id, and must not find this one.
  const { ask } = await open()
  const request = create()
  const first = await made(ask, request)
  await ask({ type: 'DeleteWebhook', wallet: WALLET, webhookId: first.id })
  const second = await made(ask, request)
  assert.is.not(second.id, first.id)
  assert.equal(await made(ask, request), second)
  const late = await ask({ type: 'DeleteWebhook', wallet: WALLET, webhookId: first.id })
  assert.is(codeOf(late), 'webhook_not_found')
})

Service('a webhook of an earlier version is the answer to its request', async () => {
  const { ask, records, secrets } = await open()
  const request = create()
  const { id, url, events } = request
  const sealedSecret = secrets.seal(id, SECRET)
  const earlier = { id, url, events, createdAt: systemClock.now(), apiVersion: '2026-06-01' }
  const kept = { ...earlier, status: 'active', sealedSecret } as const
  await records.change(WALLET, () => ok({ webhooks: [kept] }))
  assert.equal(await made(ask, request), { ...earlier, status: 'active' })
  assert.is((await records.of(WALLET)).webhooks.length, 1)
})

Service('a URL that cannot be one is refused with the reason, and nothing is kept', async () => {
  const { ask, registry } = await open(err('it leads nowhere'))
  const reply = await ask(create())
  assert.equal(reply, {
    type: 'refused',
    refusal: { code: 'invalid_webhook_url', message: 'it leads nowhere', param: 'url' },
  })
  assert.is(registry.entries.size, 0)
})

Service('the limit holds when many are made at once', async () => {
  const { ask } = await open()
  const replies = await Promise.all(Array.from({ length: 40 }, () => ask(create())))
  assert.is(replies.filter(({ type }) => type === 'webhook').length, 20)
  assert.is(replies.filter((reply) => codeOf(reply) === 'webhook_limit_reached').length, 20)
  assert.is(codeOf(await ask(create({ wallet: OTHER }))), 'webhook')
})

Service('another wallet sees, deletes and enables nothing', async () => {
  const { ask } = await open()
  const { id } = await made(ask)
  const theirs = { wallet: OTHER, webhookId: id }
  assert.equal(await ask({ type: 'ListWebhooks', wallet: OTHER }), {
    type: 'webhooks',
    webhooks: [],
  })
  assert.is(codeOf(await ask({ type: 'DeleteWebhook', ...theirs })), 'webhook_not_found')
  assert.is(codeOf(await ask({ type: 'EnableWebhook', ...theirs })), 'webhook_not_found')
  const mine = { wallet: WALLET, webhookId: id }
  assert.equal(await ask({ type: 'DeleteWebhook', ...mine }), { type: 'deleted', webhookId: id })
  assert.is(codeOf(await ask({ type: 'DeleteWebhook', ...mine })), 'webhook_not_found')
})

Service('a failed webhook is enabled again; one that was deleted does not come back', async () => {
  const { ask, records } = await open()
  const { id } = await made(ask)
  const mine = { wallet: WALLET, webhookId: id }
  await records.fail(WALLET, id, systemClock.now())
  const failed: WalletWebhooks = await records.of(WALLET)
  assert.is(failed.webhooks[0]?.status, 'failed')
  const enabled = await ask({ type: 'EnableWebhook', ...mine })
  assert.ok(enabled.type === 'webhook' && enabled.webhook.status === 'active')
  await ask({ type: 'DeleteWebhook', ...mine })
  await records.fail(WALLET, id, systemClock.now())
  assert.equal((await records.of(WALLET)).webhooks, [])
})

Service('a store that does not answer is said so, and says nothing of the secret', async () => {
  const { ask, registry } = await open()
  registry.failures = 1
  const reply = await ask(create())
  assert.is(reply.type, 'unavailable')
  assert.not.match(JSON.stringify(reply), SECRET)
})

Service('a request that this version does not know is not left without an answer', async () => {
  const { ask } = await open()
  // @ts-expect-error: of a version to come
  assert.is((await ask({ type: 'PaintWebhook', wallet: WALLET })).type, 'unavailable')
})

Service.run()
