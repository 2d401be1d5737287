import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeDelivery } from '../../../actors/webhook/delivery.ts'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Attempt, Delivery, WebhookRecord } from '../../../src/messages/webhook.ts'
import type { WebhookAnswer } from '../../../src/ports/webhook-sender.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'

/** Four attempts are made at once; the others wait in a lane, and their webhook may change meanwhile. */
const Meanwhile = suite('webhooks: what waits while its webhook fails')

const ID = webhookId(1)
const ACTIVE = webhookRecord(ID, 'https://example.com/hook', ['credit.topup'])
const REFUSED: WebhookAnswer = {
  ...{ delivered: false, status: 500, error: 'it said 500', answerStart: '', latencyMs: 1 },
}

/** Six deliveries on their last attempt to an endpoint that answers when it is told to. */
async function sixDeliveries() {
  const clock = new ManualClock()
  const registry = new MemoryRegistry()
  await registry.set(WALLET, { webhooks: [ACTIVE] })
  const records = makeWebhookRecords(registry)
  const answers: ((answer: WebhookAnswer) => void)[] = []
  const history: Attempt[] = []
  let hand: (work: Work<Delivery>) => void = () => {}
  let done = 0
  const take = ({ each }: { each: typeof hand }) => {
    hand = each
    return { stop: async () => {} }
  }
  const delivery = makeDelivery({
    queues: { due: { take }, put: async () => {} },
    history: { append: async (attempt: Attempt) => void history.push(attempt) },
    // Whatever it is asked, it has heard of nothing: the records are read.
    webhooks: { untilWhole: async () => {}, get: () => undefined },
    records,
    secrets: { open: () => 'a secret', seal: () => '' },
    sender: { send: () => new Promise((resolve) => answers.push(resolve)) },
    ...{ schedule: [0], names: defaultNames, clock, log: makeLog('test', 'silent') },
  } as never)
  await delivery.start()
  for (let n = 1; n <= 6; n++) {
    hand({
      body: {
        ...{ wallet: WALLET, webhookId: ID, eventId: `evt_${n}`, eventType: 'credit.topup' },
        ...{ body: '{}', attempt: 1, dueAt: clock.now(), cause: 'event', earlier: [] },
        ...{ round: 0, since: toUnixMs(1) },
      },
      sequence: n,
      done: () => void done++,
      later: () => assert.unreachable('nothing is put off'),
    } as Partial<Work<Delivery>> as Work<Delivery>)
  }
  await rest()
  return { records, answers, history, doneCount: () => done }
}

Meanwhile('it is not sent, and can be replayed', async () => {
  const { records, answers, history, doneCount } = await sixDeliveries()
  assert.is(answers.length, 4)
  answers[0]?.(REFUSED)
  await rest()
  const [webhook] = (await records.of(WALLET)).webhooks as [WebhookRecord]
  assert.is(webhook.status, 'failed')
  assert.is(answers.length, 4, 'nothing more is sent')
  assert.equal(
    history.map(({ delivered, status, nextAt }) => [delivered, status, nextAt]),
    [500, null, null].map((status) => [false, status, null]),
  )
  assert.is(doneCount(), 3)
})

Meanwhile('it is not sent either where the webhook was deleted', async () => {
  const { records, answers, doneCount } = await sixDeliveries()
  await records.change(WALLET, () => ({ ok: true, value: { webhooks: [] } }))
  answers[0]?.(REFUSED)
  await rest()
  assert.is(answers.length, 4)
  assert.is(doneCount(), 3)
})

Meanwhile.run()
