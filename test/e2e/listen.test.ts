import Stripe from 'stripe'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../src/bus/connect.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { WebhookReply, WebhookRequest } from '../../src/messages/webhook.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { type ListenProcess, startListening } from '../fakes/listen-process.ts'
import { type Receiver, startReceiver } from '../fakes/webhooks/receiver.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { type Customer, chat, newCustomer, revokeKey, send } from './customer.ts'
import { giveGas, onChain } from './mixed/callers.ts'
import { killAndWait } from './until.ts'

/** What a developer does to get an endpoint right: listens, looks at the history, replays. */
const Developer = suite('a developer and their endpoint')

const WAIT_MS = 60_000
const SECRET = 'the secret of a developer'
const MODEL = 'Qwen/Qwen3-8B'

let network: Network
let nats: Nats
let receiver: Receiver
let customer: Customer
let listening: ListenProcess | undefined

Developer.before(async () => {
  receiver = await startReceiver()
  network = await startNetwork({
    flags: ['--workers', '1'],
    env: { WEBHOOK_RETRY_SECONDS: '0,1,1', WORKER_SAMPLE_TOKEN_MS: '2' },
  })
  const log = makeLog('test', 'silent')
  nats = await connectNats({ servers: network.nats_url, name: 'test', log })
  customer = await newCustomer(network)
  await giveGas(network, [customer.wallet])
})
Developer.after(async () => {
  await listening?.stop()
  await nats?.close()
  await network?.stop()
  await receiver?.close()
})

const received = (path: string) =>
  receiver.received(path).map(({ body }) => JSON.parse(body) as { id: string; event: string })
const eventsAt = (path: string) => received(path).map(({ event }) => event)
const arrives = (path: string, type: string, count = 1) =>
  until(
    () => `${count} ${type} at ${path}, not ${eventsAt(path)}; it said ${listening?.said()}`,
    async () => eventsAt(path).filter((event) => event === type).length >= count,
    WAIT_MS,
  )
const buy = (credits: bigint) => onChain(network, customer.privateKey).deposit(credits)
const ask = () => chat(customer, { model: MODEL, messages: [{ role: 'user', content: 'Hello.' }] })
const desk = (request: WebhookRequest): Promise<WebhookReply> =>
  nats.bus.request(SUBJECTS.webhooks, request, 15_000)

Developer('listening: the events of a wallet without a webhook arrive, signed', async () => {
  listening = startListening(
    ['--base-url', customer.baseUrl, '--forward', receiver.url('laptop'), '--secret', SECRET],
    { SVC_API_KEY: customer.apiKey },
  )
  await until('it listens', () => listening!.said().includes('Listening to'), WAIT_MS)
  await buy(1_000n)
  await arrives('laptop', 'credit.topup')
  assert.is((await ask()).status, 200)
  for (const event of ['job.submitted', 'job.processing', 'job.completed']) {
    await arrives('laptop', event)
  }
  for (const { body, headers } of receiver.received('laptop')) {
    const signature = headers['svc-signature'] as string
    // Made some time ago, perhaps: the test may be slow.
    Stripe.webhooks.constructEvent(body, signature, SECRET, 3_600)
  }
})

Developer('listening: what happens while the edge is dead is not lost', async () => {
  for (let round = 1; round <= 3; round++) {
    const [, restarted] = await Promise.all([buy(100n), killAndWait(network, 'edge')])
    assert.is(restarted, undefined)
    await until(
      'the edge answers',
      async () => (await ask().catch(() => undefined))?.status === 200,
      WAIT_MS,
    )
    await arrives('laptop', 'credit.topup', 1 + round)
    await arrives('laptop', 'job.completed', 1 + round)
  }
  assert.match(listening!.said(), 'Not connected: ')
})

Developer('history and replay: an endpoint that was down gets what it missed', async () => {
  receiver.behave('hook', 500)
  const made = await send(customer, '/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { url: receiver.url('hook'), events: ['credit.topup'], secret: SECRET },
  })
  assert.is(made.status, 201, made.text)
  const webhook = { wallet: customer.wallet, webhookId: JSON.parse(made.text).id as string }
  const statusOf = async () => {
    const reply = await desk({ type: 'ListWebhooks', wallet: customer.wallet })
    return reply.type === 'webhooks' && reply.webhooks[0]?.status
  }
  const list = async (failedOnly: boolean) => {
    const reply = await desk({ type: 'ListDeliveries', ...webhook, failedOnly, limit: 20 })
    return reply.type === 'deliveries' ? reply.deliveries : []
  }
  const from = Date.now() - 3_600_000
  await buy(100n)
  await until('the webhook has failed', async () => (await statusOf()) === 'failed', WAIT_MS)
  const [failed] = await until('it is listed', async () => {
    const found = await list(true)
    return found.length === 1 && found
  })
  assert.equal(
    failed!.attempts.map(({ attempt, status, answerStart }) => [attempt, status, answerStart]),
    [1, 2, 3].map((attempt) => [attempt, 500, 'heard']),
  )
  receiver.behave('hook', 200)
  const replayed = await desk({ type: 'ReplayDeliveries', ...webhook, which: { type: 'failed' } })
  assert.equal(replayed, { type: 'replayed', events: 1, cursor: null })
  assert.is(await statusOf(), 'active')
  await until('it is delivered', async () => (await list(true)).length === 0, WAIT_MS)
  const bodies = new Set(receiver.received('hook').map(({ body }) => body))
  assert.is(bodies.size, 1, 'the same body, to the byte')
  assert.is([...bodies][0], failed!.body)

  const test = await desk({ type: 'SendTestEvent', ...webhook, event: 'worker.slashed' })
  assert.is(test.type, 'test_sent')
  await arrives('hook', 'worker.slashed')

  // A block's time may be ahead of this machine's clock.
  const which = {
    type: 'range',
    from: from as never,
    to: (Date.now() + 3_600_000) as never,
  } as const
  const before = received('hook').length
  const all = await desk({ type: 'ReplayDeliveries', ...webhook, which })
  assert.equal(all, { type: 'replayed', events: 5, cursor: null })
  await until('all top-ups', () => received('hook').length >= before + 5, WAIT_MS)
  assert.is(new Set(received('hook').map(({ id }) => id)).size, 6)
})

Developer('listening: a revoked key ends it', async () => {
  await revokeKey(network, customer)
  await until('its end', () => listening!.exitCode() !== undefined, WAIT_MS)
  assert.is(listening!.exitCode(), 1)
})

Developer.run()
