import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeDelivery } from '../../../actors/webhook/delivery.ts'
import { makeFanOut } from '../../../actors/webhook/fan-out.ts'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import type { Fact } from '../../../src/messages/fact.ts'
import type { Delivery, WebhookRecord } from '../../../src/messages/webhook.ts'
import type { Mirror } from '../../../src/ports/mirror.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'
import { topupFact } from '../../fakes/webhooks/facts.ts'

/** Hosts look webhooks up in a copy, which may be some moments old. */
const Stale = suite('webhooks: a copy that lags behind')

const ID = webhookId(1)
const ACTIVE = webhookRecord(ID, 'https://example.com/hook', ['credit.topup'])
const FAILED: WebhookRecord = { ...ACTIVE, status: 'failed' }

/** Hands one delivery over. @returns what became of it */
async function deliver(cause: 'event' | 'replay', mirrored?: WebhookRecord, kept?: WebhookRecord) {
  const clock = new ManualClock()
  const registry = new MemoryRegistry()
  if (kept) await registry.set(WALLET, { webhooks: [kept] })
  const done: string[] = []
  let hand: (work: Work<Delivery>) => void = () => {}
  const queues = {
    due: {
      take: ({ each }: { each: typeof hand }) => {
        hand = each
        return { stop: async () => {} }
      },
    },
    put: async () => {},
  }
  const mirror = {
    untilWhole: async () => {},
    get: () => mirrored && { webhooks: [mirrored] },
  } as Partial<Mirror<unknown>>
  const parts = {
    queues,
    history: { append: async () => {} },
    webhooks: mirror,
    records: makeWebhookRecords(registry),
    secrets: { open: () => 'a secret', seal: () => '' },
    sender: {
      send: async () => {
        done.push('sent')
        return { type: 'answered', status: 200, latencyMs: 1, start: '' }
      },
    },
    ...{ schedule: [0], names: defaultNames, clock, log: makeLog('test', 'silent') },
  }
  const delivery = makeDelivery(parts as never)
  await delivery.start()
  hand({
    body: {
      ...{ wallet: WALLET, webhookId: ID, eventId: 'evt_1', eventType: 'credit.topup' },
      ...{ body: '{}', attempt: 1, dueAt: clock.now(), cause, round: 0, earlier: [] },
    },
    sequence: 1,
    done: () => void done.push('done'),
    later: () => void done.push('later'),
  } as Partial<Work<Delivery>> as Work<Delivery>)
  await rest()
  return done
}

Stale('a replay to one that failed a moment ago and is active again is sent', async () => {
  assert.equal(await deliver('replay', FAILED, ACTIVE), ['sent', 'done'])
})

Stale('an event for one that was made a moment ago is sent', async () => {
  assert.equal(await deliver('event', undefined, ACTIVE), ['sent', 'done'])
})

Stale('one that has failed is sent nothing, and one that is gone neither', async () => {
  assert.equal(await deliver('replay', FAILED, FAILED), ['done'])
  assert.equal(await deliver('event', undefined, undefined), ['done'])
})

/** Hands one fact over. @returns to how many webhooks it is owed */
async function shareOut(mirrored: readonly WebhookRecord[], kept: readonly WebhookRecord[]) {
  const clock = new ManualClock()
  const registry = new MemoryRegistry()
  await registry.set(WALLET, { webhooks: kept })
  let owed = 0
  let hand: (work: Work<Fact>) => void = () => {}
  const take = ({ each }: { each: typeof hand }) => {
    hand = each
    return { stop: async () => {} }
  }
  const fanOut = makeFanOut({
    queues: { facts: { take }, put: async () => void owed++ },
    webhooks: { untilWhole: async () => {}, get: () => ({ webhooks: mirrored }) },
    records: makeWebhookRecords(registry),
    ...{ schedule: [0], clock, log: makeLog('test', 'silent') },
  } as never)
  await fanOut.start()
  const [done, later] = [() => {}, () => assert.unreachable('nothing is put off')]
  hand({ ...{ body: topupFact(WALLET, clock.now(), 1), sequence: 1 }, done, later } as never)
  await rest()
  return owed
}

Stale('an event that comes when a failed one is active again is owed to it', async () => {
  assert.is(await shareOut([FAILED], [ACTIVE]), 1)
  const other = { ...ACTIVE, id: webhookId(2) }
  assert.is(await shareOut([FAILED, other], [ACTIVE, other]), 2)
  assert.is(await shareOut([FAILED, other], [FAILED, other]), 1)
})

Stale.run()
