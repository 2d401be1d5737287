import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeDelivery } from '../../../actors/webhook/delivery.ts'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import type { Delivery } from '../../../src/messages/webhook.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'

const Stopping = suite('webhooks: a host that leaves')

const ID = webhookId(1)
const ACTIVE = webhookRecord(ID, 'https://example.com/hook', ['credit.topup'])

Stopping('what has just come goes to another host, and keeps nobody waiting', async () => {
  const clock = new ManualClock()
  const told: string[] = []
  let known = () => {}
  let hand: (work: Work<Delivery>) => void = () => {}
  const take = ({ each }: { each: typeof hand }) => {
    hand = each
    return { stop: async () => {} }
  }
  const delivery = makeDelivery({
    queues: { due: { take }, put: async () => void told.push('put') },
    history: {},
    // It is looked up whose it is while the host is asked to leave.
    webhooks: {
      untilWhole: () => new Promise<void>((resolve) => (known = resolve)),
      get: () => ({ webhooks: [ACTIVE] }),
    },
    records: makeWebhookRecords(new MemoryRegistry()),
    secrets: {},
    sender: { send: () => assert.unreachable('nothing is sent any more') },
    ...{ schedule: [0], names: defaultNames, clock, log: makeLog('test', 'silent') },
  } as never)
  await delivery.start()
  hand({
    body: {
      ...{ wallet: WALLET, webhookId: ID, eventId: 'evt_1', eventType: 'credit.topup' },
      ...{ body: '{}', attempt: 1, dueAt: clock.now(), cause: 'event', round: 0, earlier: [] },
    },
    sequence: 1,
    done: () => void told.push('done'),
    later: (span: number) => void told.push(`later ${span}`),
  } as Partial<Work<Delivery>> as Work<Delivery>)
  await rest()
  let stopped = false
  const leaving = delivery.stop().then(() => {
    stopped = true
  })
  known()
  await clock.advance(100)
  assert.equal(told, ['later 0'])
  assert.ok(stopped)
  await leaving
})

Stopping.run()
