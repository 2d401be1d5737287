import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { historyRequests } from '../../../actors/webhook/history-requests.ts'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import { replayRoom } from '../../../actors/webhook/replay-room.ts'
import { makeWebhookQueues } from '../../../src/bus/streams/webhook-queues.ts'
import type { Delivery, Replayed, WebhookReply } from '../../../src/messages/webhook.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'

/** What is owed lies on the disk of the journal, and whoever signs in may ask for replays. */
const Room = suite('webhooks: how much may be replayed')

const ID = webhookId(1)
const OTHER = webhookId(2)
const FAILED = {
  ...webhookRecord(ID, 'https://example.com/hook', ['credit.topup']),
  status: 'failed',
} as const
const EVENT = { eventId: 'evt_1', eventType: 'credit.topup', body: '{}' }

async function house({ waiting = 0, bytes = 0 } = {}) {
  const registry = new MemoryRegistry()
  await registry.set(WALLET, { webhooks: [FAILED, { ...FAILED, id: OTHER }] })
  const records = makeWebhookRecords(registry)
  const owed: Delivery[] = []
  const asked: string[] = []
  let answer = () => {}
  const full = { waiting, bytes }
  const clock = new ManualClock()
  const handlers = historyRequests({
    records,
    room: replayRoom({
      owedTo: async (id) => {
        asked.push(id)
        return full.waiting
      },
      owedBytes: async () => full.bytes,
    }),
    history: {
      find: async () => EVENT,
      page: () =>
        new Promise((resolve) => {
          answer = () => resolve({ deliveries: [EVENT], cursor: null })
        }),
    } as never,
    facts: {} as never,
    owe: async (delivery) => void owed.push(delivery),
    clock,
  })
  const replay = (which: Replayed): Promise<WebhookReply> =>
    handlers.ReplayDeliveries({ type: 'ReplayDeliveries', wallet: WALLET, webhookId: ID, which })
  const test = (id = ID): Promise<WebhookReply> =>
    handlers.SendTestEvent({
      ...{ type: 'SendTestEvent', wallet: WALLET, webhookId: id, event: 'credit.topup' },
    })
  const status = async () => (await records.of(WALLET)).webhooks[0]!.status
  return { full, owed, asked, clock, replay, test, status, answer: () => answer() }
}

const ONE = { type: 'one', eventId: 'evt_1' } as const
const ALL = { type: 'failed' } as const
/** What is answered without waiting for anything. */
async function saidAtOnce(asked: Promise<WebhookReply>): Promise<string> {
  let said = 'nothing'
  void asked.then((reply) => {
    const isRefused = reply.type === 'refused'
    said = isRefused ? `${reply.refusal.code} ${reply.refusal.message}` : reply.type
  })
  await rest()
  return said
}

Room(
  'while very much waits for a webhook, nothing more is owed, and nothing is changed',
  async () => {
    const { full, owed, asked, replay, status } = await house({ waiting: 20_000 })
    for (const which of [ONE, ALL]) {
      assert.match(await saidAtOnce(replay(which)), /^rate_limited 20000 deliveries .* wait/)
    }
    assert.equal([owed, await status(), asked], [[], 'failed', [ID, ID]])
    full.waiting = 19_999
    assert.is(await saidAtOnce(replay(ONE)), 'replayed')
    assert.equal([owed.length, await status()], [1, 'active'])
  },
)

Room('while all webhooks together have taken their room, nothing more is owed', async () => {
  const { full, owed, replay, status } = await house({ bytes: 2 ** 30 })
  assert.match(await saidAtOnce(replay(ONE)), /^rate_limited .* all webhooks together/)
  assert.equal([owed, await status()], [[], 'failed'])
  full.bytes = 2 ** 30 - 1
  assert.is(await saidAtOnce(replay(ONE)), 'replayed')
})

Room('those that are asked for at once do not all find the same room', async () => {
  const { owed, replay, answer } = await house()
  const first = replay(ALL)
  await rest()
  assert.match(await saidAtOnce(replay(ALL)), /^rate_limited Another replay .* under way/)
  assert.is(await saidAtOnce(replay(ONE)), 'replayed', 'one event needs no turn')
  answer()
  assert.is(await saidAtOnce(first), 'replayed')
  const next = replay(ALL)
  await rest()
  answer()
  assert.is(await saidAtOnce(next), 'replayed')
  assert.is(owed.length, 3)
})

Room('a replay that comes to nothing leaves its turn to the next', async () => {
  const { full, replay, answer } = await house({ waiting: 20_000 })
  await saidAtOnce(replay(ALL))
  full.waiting = 0
  const next = replay(ALL)
  await rest()
  answer()
  assert.is(await saidAtOnce(next), 'replayed')
})

Room('a webhook is sent so many test events a minute, and others as many', async () => {
  const { owed, clock, test } = await house()
  for (let n = 0; n < 60; n++) {
    assert.is(await saidAtOnce(test()), 'test_sent')
    await clock.advance(500)
  }
  assert.match(await saidAtOnce(test()), /^rate_limited .* 60 test events within a minute/)
  assert.is(await saidAtOnce(test(OTHER)), 'test_sent')
  await clock.advance(29_000)
  assert.match(await saidAtOnce(test()), /^rate_limited/)
  await clock.advance(1_000)
  assert.is(await saidAtOnce(test()), 'test_sent')
  assert.is(owed.length, 62)
})

Room('a test event waits for room as a replay does', async () => {
  const { full, owed, test } = await house({ waiting: 20_000 })
  assert.match(await saidAtOnce(test()), /^rate_limited 20000 deliveries .* wait/)
  full.waiting = 0
  assert.is(await saidAtOnce(test()), 'test_sent')
  assert.is(owed.length, 1)
})

Room('what is due and what waits in a line is counted, of this webhook alone', async () => {
  const held = { 'hook.wh_1': 2, 'hook.waiting.5.wh_1': 30, 'hook.waiting.7200.wh_1': 400 }
  const info = async (_stream: string, { subjects_filter = '' } = {}) => {
    const named = new RegExp(`^${subjects_filter.replaceAll('.', '\\.').replace('*', '[^.]+')}$`)
    const subjects = Object.entries(held).filter(([subject]) => named.test(subject))
    // As the server says it: none are no list.
    return {
      state: { bytes: 9, ...(subjects.length && { subjects: Object.fromEntries(subjects) }) },
    }
  }
  const reader = { stream: 'HOOK', jsm: { streams: { info } } }
  const { owedTo, owedBytes } = makeWebhookQueues(reader as never, reader as never)
  assert.equal([await owedTo('wh_1'), await owedTo('wh_2'), await owedBytes()], [432, 0, 9])
})

Room.run()
