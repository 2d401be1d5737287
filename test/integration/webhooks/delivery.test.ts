import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { type Address, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { signatureHeaders } from '../../../src/domain/webhook-signature.ts'
import { type CreditTopup, factId, type WorkerRegistered } from '../../../src/messages/fact.ts'
import type { DeliveryView, EventType, WalletWebhooks } from '../../../src/messages/webhook.ts'
import type { DeliveryHistory } from '../../../src/ports/delivery-history.ts'
import type { Facts } from '../../../src/ports/facts.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import {
  putWebhooks,
  SECRET,
  startDeliverer,
  webhookId,
  webhookRecord,
} from '../../fakes/webhooks/deliverer.ts'
import { forkDeliverer } from '../../fakes/webhooks/deliverer-child.ts'
import { type Receiver, startReceiver } from '../../fakes/webhooks/receiver.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

const Delivering = suite('events to webhooks, on a real nats-server and real endpoints')
let server: Server
let nats: Nats
let facts: Facts
let registry: Registry
let history: DeliveryHistory
let receiver: Receiver
const running: { stop(): Promise<void> }[] = []
let count = 0

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const SCHEDULE = [0, 300, 300, 300, 300]

Delivering.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log })
  facts = await nats.facts()
  registry = await nats.registry('WEBHOOKS')
  history = await nats.deliveryHistory()
  receiver = await startReceiver()
})
Delivering.after(async () => {
  await receiver?.close()
  await nats?.close()
  await server?.stop()
})

interface Hook {
  readonly wallet: Address
  readonly webhookId: string
  readonly path: string
}

/** A wallet of its own with one webhook. */
async function hook(events: readonly EventType[] = ['credit.topup']): Promise<Hook> {
  const number = ++count
  const wallet = toAddress(`0x${number.toString(16).padStart(40, '0')}`)
  const id = webhookId(number)
  const path = `hook-${number}`
  await putWebhooks(registry, wallet, [webhookRecord(id, receiver.url(path), events)])
  return { wallet, webhookId: id, path }
}

function topup({ wallet }: Hook, place = 0): CreditTopup {
  const tx = toHex32(`0x${'11'.repeat(32)}`)
  const balance = { credits_added: 100, credits_remaining: 100, usdg_value: 1 }
  return {
    id: factId('credit.topup', { wallet, tx, place }),
    type: 'credit.topup',
    wallet,
    at: toUnixMs(1_800_000_000_000),
    data: { ...balance, tx, block_number: 7 },
  }
}

const arrivals = ({ path }: Hook, count: number) =>
  until(`${count} arrivals at ${path}`, () => receiver.received(path).length >= count)

const idsAt = ({ path }: Hook) => new Set(receiver.received(path).map(({ eventId }) => eventId))

async function statusOf({ wallet, webhookId: id }: Hook) {
  const entry = await registry.get(wallet)
  return (entry!.value as WalletWebhooks).webhooks.find((one) => one.id === id)?.status
}

async function view(one: Hook, eventId: string): Promise<DeliveryView | undefined> {
  return history.find(one, eventId)
}

async function deliver(hosts = 1, schedule = SCHEDULE): Promise<void> {
  for (let i = 0; i < hosts; i++) {
    running.push(await startDeliverer({ natsUrl: server.url, schedule, log }))
  }
}
const stopAll = () => Promise.all(running.splice(0).map((one) => one.stop()))
Delivering.after.each(async () => {
  await stopAll()
})

Delivering('a fact reaches the webhook of its wallet once, signed, in its envelope', async () => {
  const [mine, others] = [await hook(), await hook()]
  const uninterested = await hook(['job.failed'])
  await deliver(2)
  const fact = topup(mine)
  await facts.publish(fact)
  await facts.publish(topup(uninterested))
  await arrivals(mine, 1)
  const [received] = receiver.received(mine.path)
  assert.equal(JSON.parse(received!.body), {
    id: fact.id,
    event: 'credit.topup',
    created_at: '2027-01-15T08:00:00.000Z',
    api_version: '2026-06-01',
    data: fact.data,
  })
  const seconds = Number(received!.headers['webhook-timestamp'])
  const expected = signatureHeaders(
    {
      eventId: fact.id,
      at: toUnixMs(seconds * 1_000),
      body: received!.body,
      secret: SECRET,
    },
    defaultNames,
  )
  for (const [name, value] of Object.entries(expected))
    assert.is(received!.headers[name.toLowerCase()], value)
  await until('the attempt in the history', async () => !!(await view(mine, fact.id)))
  const shown = await view(mine, fact.id)
  assert.is(shown?.status, 'delivered')
  await facts.publish(topup(others))
  await arrivals(others, 1)
  await stopAll()
  assert.is(receiver.received(mine.path).length, 1)
  assert.is(receiver.received(uninterested.path).length, 0)
})

Delivering('what happens to a worker is told to every webhook that asks for it', async () => {
  const asking = [
    await hook(['worker.registered']),
    await hook(['worker.registered', 'job.failed']),
  ]
  await deliver()
  const worker = toAddress(`0x${'77'.repeat(20)}`)
  const fact: WorkerRegistered = {
    id: `evt_${'7'.repeat(32)}`,
    type: 'worker.registered',
    worker,
    at: toUnixMs(1_800_000_000_000),
    data: { worker_address: worker, models: ['a/b'], region: 'eu' },
  }
  await facts.publish(fact)
  for (const one of asking) await arrivals(one, 1)
  await stopAll()
  const bodies = asking.map(({ path }) => receiver.received(path)[0]!.body)
  assert.is(bodies[0], bodies[1])
})

Delivering('five failures, each after its wait, and the webhook has failed', async () => {
  const one = await hook()
  receiver.behave(one.path, 500)
  await deliver(2)
  const fact = topup(one)
  await facts.publish(fact)
  await until('the webhook to fail', async () => (await statusOf(one)) === 'failed')
  const received = receiver.received(one.path)
  assert.is(received.length, 5)
  assert.is(new Set(received.map(({ body }) => body)).size, 1, 'the same body each time')
  for (let i = 1; i < 5; i++) assert.ok(received[i]!.at - received[i - 1]!.at >= 290)
  const shown = await view(one, fact.id)
  assert.is(shown?.status, 'failed')
  assert.equal(
    shown?.attempts.map(({ attempt, status, nextAt }) => [attempt, status, nextAt !== null]),
    [1, 2, 3, 4, 5].map((attempt) => [attempt, 500, attempt < 5]),
  )
  // From now on nothing goes there.
  await facts.publish(topup(one, 1))
  const other = await hook()
  await facts.publish(topup(other))
  await arrivals(other, 1)
  await stopAll()
  assert.is(receiver.received(one.path).length, 5)
})

Delivering('it answers again: the count goes on where it was, and the webhook lives', async () => {
  const one = await hook()
  receiver.behave(one.path, 503)
  await deliver()
  const fact = topup(one)
  await facts.publish(fact)
  await arrivals(one, 2)
  receiver.behave(one.path, 204)
  await until('the delivery', async () => (await view(one, fact.id))?.status === 'delivered')
  await stopAll()
  assert.is(await statusOf(one), 'active')
  const shown = await view(one, fact.id)
  const numbers = shown!.attempts.map(({ attempt }) => attempt)
  assert.equal(
    numbers,
    Array.from({ length: numbers.length }, (_, i) => i + 1),
  )
})

Delivering(
  'a deleted webhook gets nothing more, not even what waits for its next attempt',
  async () => {
    const one = await hook()
    receiver.behave(one.path, 500)
    // Hosts hear of the deletion by their own way: long before the third attempt.
    await deliver(1, [0, 300, 5_000, 300, 300])
    await facts.publish(topup(one))
    await arrivals(one, 2)
    await putWebhooks(registry, one.wallet, [])
    const other = await hook()
    receiver.behave(other.path, 500)
    await facts.publish(topup(other))
    await until(
      'another to have all its attempts',
      async () => (await statusOf(other)) === 'failed',
    )
    await stopAll()
    assert.is(receiver.received(one.path).length, 2)
  },
)

Delivering('one that was enabled meanwhile is not failed by what was owed before', async () => {
  const one = await hook()
  receiver.behave(one.path, 500)
  await deliver()
  const fact = topup(one)
  await facts.publish(fact)
  await arrivals(one, 3)
  const entry = await registry.get(one.wallet)
  const { webhooks } = entry!.value as WalletWebhooks
  await putWebhooks(
    registry,
    one.wallet,
    webhooks.map((each) => ({ ...each, activeSince: toUnixMs(Date.now()) })),
  )
  await until('the last attempt', async () => (await view(one, fact.id))?.status === 'failed')
  await stopAll()
  assert.is(await statusOf(one), 'active')
})

Delivering(
  'hosts killed in the middle: every event arrives, and no count begins anew',
  async () => {
    const [good, bad] = [await hook(), await hook()]
    receiver.behave(bad.path, 500)
    const schedule = [0, 1_000, 1_000, 1_000, 1_000]
    const events = 200
    const fact = topup(bad)
    let child = await forkDeliverer(server.url, schedule)
    await facts.publish(fact)
    for (let place = 0; place < events; place++) {
      await facts.publish(topup(good, place))
      if (place % 50 === 25) {
        await child.kill()
        child = await forkDeliverer(server.url, schedule)
      }
    }
    await until('all events', () => idsAt(good).size === events)
    await until('the bad one to fail', async () => (await statusOf(bad)) === 'failed')
    await child.kill()
    const shown = await view(bad, fact.id)
    assert.equal(
      shown?.attempts.map(({ attempt }) => attempt),
      [1, 2, 3, 4, 5],
    )
    // Four kills: each may have repeated one attempt, and no more.
    assert.ok(receiver.received(bad.path).length <= 9)
  },
)

Delivering('the server restarts with events on their way: all of them arrive', async () => {
  const one = await hook()
  await deliver(2)
  const events = 100
  for (let place = 0; place < events; place++) {
    if (place === 50) await server.crash()
    await published(topup(one, place))
  }
  await until('all events', () => idsAt(one).size === events)
  await stopAll()
})

Delivering('endpoints that hang keep nobody waiting, and are not asked in crowds', async () => {
  const hanging = await Promise.all(Array.from({ length: 10 }, () => hook()))
  for (const { path } of hanging) receiver.behave(path, 'hang')
  const healthy = await Promise.all(Array.from({ length: 40 }, () => hook()))
  await deliver()
  for (let place = 0; place < 30; place++) {
    await Promise.all(hanging.map((one) => published(topup(one, place))))
  }
  for (let place = 0; place < 3; place++) {
    await Promise.all(healthy.map((one) => published(topup(one, place))))
  }
  // Were they behind the 300 deliveries of 10 s each, it would take minutes.
  for (const one of healthy) await arrivals(one, 3)
  for (const { path } of hanging) assert.ok(receiver.peak(path) <= 4)
  for (const one of hanging) await putWebhooks(registry, one.wallet, [])
  await stopAll()
})

/** As whoever tells facts does: until it is stored. */
async function published(fact: CreditTopup): Promise<void> {
  await until('a fact to be stored', () =>
    facts.publish(fact).then(
      () => true,
      () => false,
    ),
  )
}

Delivering.run()
