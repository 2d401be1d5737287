import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeWaitingLines } from '../../../actors/webhook/waiting-lines.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Delivery } from '../../../src/messages/webhook.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/** Each line holds deliveries for its span; then they are due, or wait in a shorter one. */
const Lines = suite('webhooks: lines that wait')

async function open() {
  const clock = new ManualClock()
  const hands = new Map<number, (work: Work<Delivery>) => void>()
  const told: string[] = []
  const house = { clock, told, fails: false }
  const lines = makeWaitingLines({
    queues: {
      waiting: (seconds: number) => ({
        take: ({ each }: { each: (work: Work<Delivery>) => void }) => {
          hands.set(seconds, each)
          return { stop: async () => {} }
        },
      }),
      put: async (_delivery: Delivery, key: string, seconds: number) => {
        if (house.fails) throw new Error('the queue is away')
        told.push(`put ${seconds} ${key}`)
      },
    },
    ...{ clock, log: makeLog('test', 'silent') },
  } as never)
  await lines.start()
  /** In the line of `seconds`, put there `agoMs` ago and due in `dueMs`. */
  const hand = async (seconds: number, agoMs: number, dueMs: number, handed = 1) => {
    hands.get(seconds)!({
      body: { eventId: 'evt', webhookId: 'wh', round: 0, attempt: 2, dueAt: clock.now() + dueMs },
      ...{ sequence: 7, handed, storedAt: toUnixMs(clock.now() - agoMs) },
      done: () => void told.push('done'),
      later: (ms: number) => void told.push(`later ${ms}`),
    } as Partial<Work<Delivery>> as Work<Delivery>)
    await rest()
    return told.splice(0)
  }
  return { ...house, house, hand }
}

Lines('the head waits for what is left of its span', async () => {
  const { hand } = await open()
  assert.equal(await hand(30, 10_000, 20_000), ['later 20000'])
  assert.equal(await hand(30, -60_000, 90_000), ['later 30000'], 'a server whose clock is ahead')
})

Lines(
  'after it, it goes to where what is left is waited for, under a name of its own',
  async () => {
    const { hand } = await open()
    assert.equal(await hand(30, 30_000, 6_000), ['put 5 evt.wh.0.2.from.7', 'done'])
    assert.equal(await hand(1, 1_000, 0), ['put 0 evt.wh.0.2.from.7', 'done'])
    assert.equal(await hand(30, 10_000, 0, 2), ['put 0 evt.wh.0.2.from.7', 'done'], 'handed before')
  },
)

Lines('it does not leave its line before it is in the next one', async () => {
  const { house, hand } = await open()
  house.fails = true
  assert.equal(await hand(1, 1_000, 0), ['later 1000'])
})

Lines.run()
