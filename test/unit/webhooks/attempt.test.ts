import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeAttempt, type Owed } from '../../../actors/webhook/attempt.ts'
import { makeWebhookRecords } from '../../../actors/webhook/records.ts'
import { activate } from '../../../actors/webhook/wallet-webhooks.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Attempt, Delivery } from '../../../src/messages/webhook.ts'
import { pause } from '../../../src/ports/clock.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'

/** An attempt is made once and kept, though the stores are away for a moment. */
const Attempts = suite('webhooks: one attempt')

const ID = webhookId(1)
const WEBHOOK = webhookRecord(ID, 'https://example.com/hook', ['credit.topup'])
const SCHEDULE = [0, 30_000, 300_000, 1_800_000, 7_200_000]

async function open(status: number) {
  const clock = new ManualClock()
  const records = makeWebhookRecords(new MemoryRegistry())
  await records.change(WALLET, () => ({ ok: true, value: { webhooks: [WEBHOOK] } }))
  const house = {
    ...{ clock, records, sent: 0, historyFails: 0, queueFails: 0, keepingMs: 0 },
    kept: [] as Attempt[],
    put: [] as { delivery: Delivery; seconds: number }[],
    told: [] as string[],
    said: [] as string[],
    attempt: async (more: Partial<Delivery> = {}) => {
      const ended = make({
        body: {
          ...{ wallet: WALLET, webhookId: ID, eventId: 'evt_1', eventType: 'credit.topup' },
          ...{ body: '{}', attempt: 1, dueAt: clock.now(), cause: 'event', round: 0, earlier: [] },
          ...more,
        },
        done: () => void house.told.push('done'),
        later: (ms: number) => void house.told.push(`later ${ms}`),
      } as Partial<Owed> as Owed)
      await clock.advance(25_000)
      await ended
      await rest()
    },
  }
  const make = makeAttempt(
    {
      history: {
        append: async (attempt: Attempt) => {
          if (house.historyFails-- > 0) throw new Error('the history is away')
          if (house.keepingMs > 0) await pause(clock, house.keepingMs)
          return house.kept.push(attempt)
        },
      },
      queues: {
        put: async (delivery: Delivery, _key: string, seconds: number) => {
          if (house.queueFails-- > 0) throw new Error('the queue is away')
          house.put.push({ delivery, seconds })
        },
      },
      sender: {
        send: async () => {
          house.sent++
          const delivered = status === 200
          return { delivered, status, error: null, answerStart: '', latencyMs: 1 }
        },
      },
      secrets: { open: () => 'a secret' },
      ...{
        records,
        schedule: SCHEDULE,
        names: defaultNames,
        clock,
        log: { info: (_: object, what: string) => house.said.push(what), warn: () => {} },
      },
    } as never,
    async () => WEBHOOK,
  )
  return house
}
const statusOf = async ({ records }: Awaited<ReturnType<typeof open>>) =>
  (await records.of(WALLET)).webhooks[0]?.status

Attempts(
  'stores that are away for a moment: the endpoint is asked once, and what is next is owed',
  async () => {
    const house = await open(500)
    house.historyFails = 3
    house.queueFails = 3
    await house.attempt()
    assert.is(house.sent, 1)
    assert.equal(house.told, ['done'])
    const [{ delivery, seconds }] = house.put as [(typeof house.put)[number]]
    assert.equal([delivery.attempt, delivery.earlier, seconds], [2, [1], 5])
  },
)

Attempts('what it takes to keep the attempt leads the next one into no shorter lines', async () => {
  const house = await open(500)
  house.keepingMs = 20
  const waits: number[] = []
  for (const attempt of [1, 2, 3, 4]) {
    await house.attempt({ attempt })
    waits.push(house.put.at(-1)?.seconds ?? 0)
  }
  assert.equal(waits, [30, 300, 1_800, 7_200])
})

Attempts('where the next one cannot be put into a line, this one is not over', async () => {
  const house = await open(500)
  house.queueFails = 100
  await house.attempt()
  assert.equal(house.told, ['later 1000'])
  assert.is(await statusOf(house), 'active')
})

Attempts('what was delivered owes nothing more', async () => {
  const house = await open(200)
  await house.attempt()
  assert.equal([house.kept.length, house.put.length, house.told], [1, 0, ['done']])
})

Attempts('a replay that fails for good fails its webhook, but not one enabled since', async () => {
  const house = await open(500)
  const round = house.clock.now()
  const replayed = { cause: 'replay', attempt: 5, round } as const
  await house.records.change(WALLET, (all) => activate(all, ID, toUnixMs(round + 1)))
  await house.attempt(replayed)
  assert.is(await statusOf(house), 'active')
  assert.equal(house.said, [], 'nobody is told that it has failed')
  await house.attempt({ ...replayed, round: round + 1 })
  assert.is(await statusOf(house), 'failed')
  assert.is(house.said.length, 1)
})

Attempts.run()
