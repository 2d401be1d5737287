import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFanOut } from '../../../actors/webhook/fan-out.ts'
import type { Fact } from '../../../src/messages/fact.ts'
import type { Delivery, WebhookRecord } from '../../../src/messages/webhook.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { WALLET } from '../../fakes/webhooks/attempts.ts'
import { webhookId, webhookRecord } from '../../fakes/webhooks/deliverer.ts'
import { topupFact } from '../../fakes/webhooks/facts.ts'

const hook = (n: number, event: WebhookRecord['events'][number]) =>
  webhookRecord(webhookId(n), `https://example.com/${n}`, [event])
const WEBHOOKS = [hook(1, 'credit.topup'), hook(2, 'worker.slashed'), hook(3, 'credit.topup')]

/** One host whose copy of the webhooks, and whose queue, are as the test has them. */
async function house() {
  const clock = new ManualClock()
  const told: string[] = []
  const owed: Delivery[] = []
  let whole = () => {}
  const untilWhole = new Promise<void>((resolve) => {
    whole = resolve
  })
  let hasQueue = true
  let put = () => {}
  const taking: { room(): number; each(work: Work<Fact>): void }[] = []
  const kept = { webhooks: WEBHOOKS }
  const fanOut = makeFanOut({
    queues: {
      facts: { take: (handling: (typeof taking)[number]) => taking.push(handling) },
      put: async (delivery: Delivery) => {
        if (!hasQueue) throw new Error('the stream is away')
        await new Promise<void>((resolve) => {
          const before = put
          put = () => {
            before()
            resolve()
          }
        })
        owed.push(delivery)
      },
    },
    webhooks: { untilWhole: () => untilWhole, get: () => kept, entries: () => [[WALLET, kept]] },
    records: { of: async () => kept },
    ...{ schedule: [0], clock, log: makeLog('test', 'silent') },
  } as never)
  await fanOut.start()
  const hand = (fact: Fact) =>
    taking[0]!.each({
      body: fact,
      sequence: 1,
      done: () => void told.push('done'),
      later: (span: number) => void told.push(`again in ${span}`),
    } as Partial<Work<Fact>> as Work<Fact>)
  return {
    ...{ clock, told, owed, hand, whole },
    put: () => put(),
    room: () => taking[0]!.room(),
    loseQueue: () => {
      hasQueue = false
    },
  }
}

const FanOut = suite('webhooks: a fact is shared out')

FanOut('it is done with once it is owed to all who listen, and not before', async () => {
  const { told, owed, hand, whole, put, room, clock } = await house()
  const all = room()
  whole()
  hand(topupFact(WALLET, clock.now(), 1))
  await rest()
  assert.equal(told, [])
  assert.is(room(), all - 1)
  put()
  await rest()
  assert.equal(told, ['done'])
  assert.equal(
    owed.map(({ webhookId: id, attempt, round, cause }) => [id, attempt, round, cause]),
    [1, 3].map((n) => [webhookId(n), 1, 0, 'event']),
  )
  assert.is(room(), all)
})

FanOut('where the queue is away it comes again', async () => {
  const { told, hand, whole, loseQueue, room, clock } = await house()
  const all = room()
  whole()
  loseQueue()
  hand(topupFact(WALLET, clock.now(), 1))
  await rest()
  assert.equal(told, ['again in 1000'])
  assert.is(room(), all)
})

FanOut('a fact for everybody waits until all webhooks are known', async () => {
  const { told, owed, hand, whole, put, clock } = await house()
  const { at, id } = topupFact(WALLET, clock.now(), 1)
  hand({ id, at, type: 'worker.slashed', data: {} } as unknown as Fact)
  await rest()
  put()
  await rest()
  assert.equal(told, [])
  whole()
  await rest()
  put()
  await rest()
  assert.equal([owed.map(({ webhookId: to }) => to), told], [[webhookId(2)], ['done']])
})

FanOut.run()
