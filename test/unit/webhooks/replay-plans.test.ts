import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Replay,
  type ReplayPlan,
  replayFailed,
  replayRange,
} from '../../../actors/webhook/replay-plans.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
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

Plans('a span of time: with its first and last moment, and what was stored late', async () => {
  const from = toUnixMs(1_800_000_000_000)
  const to = addMs(from, 1_000)
  const LATE_MS = 600_000
  const told = [
    { fact: topupFact(WALLET, addMs(from, -1), 1), storedAt: from },
    { fact: topupFact(WALLET, from, 2), storedAt: from },
    { fact: lowFact(WALLET, from, 3), storedAt: from },
    { fact: topupFact(WALLET, to, 4), storedAt: addMs(to, LATE_MS) },
    { fact: topupFact(WALLET, addMs(to, 1), 5), storedAt: addMs(to, LATE_MS) },
    // Nothing that comes after this one can be of that time.
    { fact: topupFact(WALLET, to, 6), storedAt: addMs(to, LATE_MS + 1) },
  ]
  let since = 0
  const facts = {
    since: async (at: number) => {
      since = at
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
  const { owed } = await carryOut((cursor) => replayRange(facts, { from, to }, cursor))
  assert.equal(owed, [told[1]!.fact.id, told[3]!.fact.id])
  assert.is(since, from - LATE_MS, 'it may have been stored by a clock that is behind')
})

Plans.run()
