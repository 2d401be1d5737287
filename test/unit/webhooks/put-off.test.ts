import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeDelivery } from '../../../actors/webhook/delivery.ts'
import type { WebhookRecords } from '../../../actors/webhook/records.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { Delivery, WebhookRecord } from '../../../src/messages/webhook.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'

const ID = webhookId(1)
const ACTIVE = webhookRecord(ID, 'https://example.com/hook', ['credit.topup'])

const known = (webhook: WebhookRecord) => ({ of: async () => ({ webhooks: [webhook] }) })

/** Deliveries to an endpoint that answers when it is told to, and what became of each, in order. */
async function house(records: Partial<WebhookRecords> = known(ACTIVE)) {
  const clock = new ManualClock()
  const told: string[] = []
  const lines: string[] = []
  const log = makeLog('test', 'warn', { write: (line) => lines.push(line) })
  const answers: (() => void)[] = []
  const taking: { room(): number; each(work: Work<Delivery>): void }[] = []
  let stored = true
  const delivery = makeDelivery({
    queues: {
      due: {
        take: (handling: (typeof taking)[number]) => {
          taking.push(handling)
          return { stop: async () => void told.push('nothing more comes') }
        },
      },
      put: async (_: Delivery, key: string, wait: number) => {
        if (!stored) throw new Error('the stream is away')
        told.push(`put ${key.split('.')[0]} into ${wait}`)
      },
    },
    history: {
      append: async () => {
        if (!stored) throw new Error('the stream is away')
        return 1
      },
    },
    webhooks: { untilWhole: async () => {}, get: () => undefined },
    records,
    secrets: { open: () => 'a secret' },
    sender: {
      send: () =>
        new Promise((resolve) => {
          answers.push(() => resolve({ delivered: true, status: 200, latencyMs: 1_000 }))
        }),
    },
    ...{ schedule: [0], names: defaultNames, clock, log },
  } as never)
  await delivery.start()
  const hand = (n: number, inMs = 0, webhookId = ID): void =>
    taking[0]!.each({
      body: {
        ...{ wallet: WALLET, webhookId, eventId: `evt_${n}`, eventType: 'credit.topup' },
        ...{ body: '{}', attempt: 1, dueAt: addMs(clock.now(), inMs), cause: 'event', round: 0 },
        earlier: [],
      },
      sequence: n,
      done: () => void told.push(`done evt_${n}`),
      later: (span: number) => void told.push(`evt_${n} again in ${span}`),
    } as Partial<Work<Delivery>> as Work<Delivery>)
  return {
    ...{ clock, told, answers, hand, delivery, lines },
    room: () => taking[0]!.room(),
    loseStore: () => {
      stored = false
    },
  }
}

const PutOff = suite('webhooks: deliveries that are not sent now')

PutOff('one that is due later goes back into the line that is not too long', async () => {
  const { told, answers, hand } = await house()
  hand(1, 45_000)
  await rest()
  assert.equal(told, ['put evt_1 into 30', 'done evt_1'])
  assert.is(answers.length, 0)
})

PutOff('one that is due within a second is sent then, and not before', async () => {
  const { clock, answers, hand } = await house()
  hand(1, 800)
  await clock.advance(799)
  assert.is(answers.length, 0)
  await clock.advance(1)
  assert.is(answers.length, 1)
})

PutOff(
  'what an endpoint cannot take for long waits in a line, and holds no place here',
  async () => {
    const { told, answers, hand, room } = await house()
    const all = room()
    // Four are under way; the line behind them has an end.
    for (let n = 1; n <= 600; n++) hand(n)
    await rest()
    assert.is(answers.length, 4)
    const put = told.filter((line) => line.startsWith('put'))
    assert.ok(put.length > 0 && put.length < 600)
    assert.is(told.filter((line) => line.startsWith('done')).length, put.length)
    assert.is(room(), all - (600 - put.length))
    assert.equal([...new Set(put.map((line) => line.split(' ').at(-1)))], ['5'])
  },
)

PutOff('twenty endpoints that hang, with hundreds each, leave room for others', async () => {
  const hang = Array.from({ length: 20 }, (_, n) => ({ ...ACTIVE, id: webhookId(n + 1) }))
  const { hand, room } = await house({ of: async () => ({ webhooks: hang }) })
  for (const { id } of hang) {
    for (let n = 1; n <= 600 && room() > 0; n++) hand(n, 0, id)
    await rest()
  }
  assert.ok(room() > 0, 'nothing is taken of the queue any more')
})

PutOff('where the line cannot be reached, the delivery is handed out again', async () => {
  const { told, hand, loseStore, room } = await house()
  const all = room()
  loseStore()
  hand(1, 45_000)
  await rest()
  assert.equal(told, ['evt_1 again in 1000'])
  assert.is(room(), all)
})

PutOff('while the line cannot be reached, it is logged once, however many it is', async () => {
  const { hand, loseStore, lines, clock, told } = await house()
  loseStore()
  for (let second = 0; second < 5; second++) {
    for (let n = 1; n <= 100; n++) hand(n, 45_000)
    await clock.advance(1_000)
  }
  assert.is(told.length, 500)
  assert.is(lines.length, 1)
})

PutOff('where nobody can tell whose it is, the delivery is handed out again', async () => {
  const lost = { of: () => Promise.reject(new Error('the bucket is away')) }
  const { told, answers, hand, room } = await house(lost)
  const all = room()
  hand(1)
  await rest()
  assert.equal(told, ['evt_1 again in 1000'])
  assert.is(answers.length, 0)
  assert.is(room(), all)
})

PutOff('what is owed to one that has failed is not done with before that is kept', async () => {
  const { told, hand, loseStore } = await house(known({ ...ACTIVE, status: 'failed' }))
  loseStore()
  hand(1)
  await rest()
  assert.equal(told, ['evt_1 again in 1000'])
})

PutOff('a host that leaves hands on what has not begun, and waits for what has', async () => {
  const { clock, told, answers, hand, delivery } = await house()
  for (let n = 1; n <= 6; n++) hand(n)
  await rest()
  let stopped = false
  const leaving = delivery.stop().then(() => {
    stopped = true
  })
  await clock.advance(1_000)
  assert.equal(told, ['nothing more comes', 'evt_5 again in 0', 'evt_6 again in 0'])
  assert.not.ok(stopped)
  for (const answer of answers) answer()
  await clock.advance(100)
  assert.equal(told.slice(3).sort(), ['done evt_1', 'done evt_2', 'done evt_3', 'done evt_4'])
  assert.ok(stopped)
  await leaving
})

PutOff('a host that leaves does not wait for ever', async () => {
  const { clock, hand, delivery } = await house()
  hand(1)
  await rest()
  let stopped = false
  void delivery.stop().then(() => {
    stopped = true
  })
  await clock.advance(30_000)
  assert.ok(stopped)
})

PutOff.run()
