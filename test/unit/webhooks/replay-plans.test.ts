import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Replay,
  type ReplayPlan,
  replayFailed,
  replayOne,
  replayRange,
} from '../../../actors/webhook/replay-plans.ts'
import { addMs, toUnixMs, type UnixMs } from '../../../src/domain/time.ts'
import type { Fact } from '../../../src/messages/fact.ts'
import type { DeliveryView } from '../../../src/messages/webhook.ts'
import type { DeliveryHistory, HistoryPage } from '../../../src/ports/delivery-history.ts'
import type { FactReader } from '../../../src/ports/fact-reader.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'
import { lowFact, topupFact } from '../../fakes/webhooks/facts.ts'

/** What one request for a replay owes again, and where the next one goes on. */
const Plans = suite('webhooks: what a replay delivers again')

const webhook = webhookRecord(webhookId(1), 'https://example.com/hook', ['credit.topup'])

const deliveryOf = (eventId: string) => ({ eventId }) as DeliveryView

/** The stream of facts, and from when on each look asked for it. */
function streamOf(told: readonly { readonly fact: Fact; readonly storedAt: UnixMs }[]) {
  const asked: number[] = []
  const facts = {
    since: async (at: number) => {
      asked.push(at)
      return 1
    },
    open: (_wallet: unknown, after: number) => {
      let position = after
      return {
        next: async () => told[position] && { ...told[position], sequence: ++position },
        get position() {
          return position
        },
      }
    },
  } as Partial<FactReader> as FactReader
  return { facts, asked }
}

/** Asks until nothing is left. @returns how many each request owed, and which events in all */
async function carryOut(planOf: (cursor: string | undefined) => ReplayPlan) {
  const owed: string[] = []
  const counts: number[] = []
  const replay: Replay = { webhook, wallet: WALLET, again: async ({ id }) => void owed.push(id) }
  let cursor: string | undefined
  do {
    const progress = await planOf(cursor)(replay)
    counts.push(progress.events)
    cursor = progress.cursor ?? undefined
  } while (cursor !== undefined)
  return { owed, counts }
}

Plans(
  'more failed ones than one request looks at: the cursor goes on, each is owed once',
  async () => {
    const failed = Array.from({ length: 620 }, (_, i) => `evt_${i}`)
    const history = {
      page: async (_of, { failedOnly, limit, cursor = '0' }: HistoryPage) => {
        assert.ok(failedOnly)
        const to = Number(cursor) + limit
        const deliveries = failed.slice(Number(cursor), to).map(deliveryOf)
        return { deliveries, cursor: to < failed.length ? String(to) : null }
      },
    } as Partial<DeliveryHistory> as DeliveryHistory
    const { owed, counts } = await carryOut((cursor) => replayFailed(history, cursor))
    assert.equal(counts, [500, 120])
    assert.equal(owed, failed)
  },
)

Plans('an event that failed twice is owed once', async () => {
  const history = {
    page: async () => ({
      deliveries: ['evt_1', 'evt_2', 'evt_1'].map(deliveryOf),
      cursor: null,
    }),
  } as Partial<DeliveryHistory> as DeliveryHistory
  const { owed, counts } = await carryOut((cursor) => replayFailed(history, cursor))
  assert.equal([owed, counts], [['evt_1', 'evt_2'], [2]])
})

Plans('a span of time: with its first and last moment, and what was told long after', async () => {
  const from = toUnixMs(1_800_000_000_000)
  const to = addMs(from, 1_000)
  const DAY_MS = 24 * 60 * 60_000
  const told = [
    { fact: topupFact(WALLET, addMs(from, -1), 1), storedAt: from },
    { fact: topupFact(WALLET, from, 2), storedAt: from },
    { fact: lowFact(WALLET, from, 3), storedAt: from },
    { fact: topupFact(WALLET, to, 4), storedAt: to },
    { fact: topupFact(WALLET, addMs(to, 1), 5), storedAt: addMs(to, 1) },
    // Whoever reads the chain was down for a day.
    { fact: topupFact(WALLET, to, 6), storedAt: addMs(to, DAY_MS) },
  ]
  const { facts, asked } = streamOf(told)
  const { owed } = await carryOut((cursor) => replayRange(facts, { from, to }, cursor))
  assert.equal(owed, [told[1]!.fact.id, told[3]!.fact.id, told[5]!.fact.id])
  assert.equal(asked, [from - 600_000], 'it may have been stored by a clock that is behind')
})

/** Of one span of time: all but each eighth are of a type that the webhook listens to. */
function longSpan(count: number) {
  const from = toUnixMs(1_800_000_000_000)
  const told = Array.from({ length: count }, (_, n) => ({
    fact: (n % 8 === 7 ? lowFact : topupFact)(WALLET, from, n),
    storedAt: from,
  }))
  const { facts, asked } = streamOf(told)
  const planOf = (cursor?: string) => replayRange(facts, { from, to: from }, cursor)
  const wanted = told.flatMap(({ fact }) => (fact.type === 'credit.topup' ? fact.id : []))
  return { planOf, wanted, asked }
}

Plans('a span of more facts than one request looks at: the cursor goes on', async () => {
  const { planOf, wanted, asked } = longSpan(1_250)
  const { owed, counts } = await carryOut(planOf)
  assert.equal(counts, [875, 219])
  assert.equal(owed, wanted)
  assert.is(asked.length, 1, 'with a cursor nobody asks where the span begins')
})

Plans('what cannot be owed fails the request: it does not count as replayed', async () => {
  const { planOf, wanted } = longSpan(1_250)
  const history = {
    page: async () => ({ deliveries: wanted.map(deliveryOf), cursor: null }),
  } as Partial<DeliveryHistory> as DeliveryHistory
  const event = { id: wanted[0]!, type: 'credit.topup', body: '' } as const
  const cases: [ReplayPlan, number][] = [
    [replayOne(event), 0],
    [replayFailed(history, undefined), 3],
    // One of the first hundred, one of the last of a request, and one of the last of the span.
    [planOf(), 50],
    [planOf(), 870],
    [planOf('1200'), 1_093],
  ]
  for (const [plan, index] of cases) {
    const again: Replay['again'] = async ({ id }) => {
      await Promise.resolve()
      if (id === wanted[index]) throw new Error('the queue is away')
    }
    const outcome = await plan({ webhook, wallet: WALLET, again }).catch((error) => error.message)
    assert.is(outcome, 'the queue is away')
  }
})

Plans.run()
