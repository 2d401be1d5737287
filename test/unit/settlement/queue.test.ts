import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobBatch, Outcome } from '../../../actors/settlement/outcome.ts'
import {
  backlogOf,
  emptyQueue,
  enqueue,
  finish,
  halves,
  nextBatch,
  takeIntent,
} from '../../../actors/settlement/queue.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { LaneIntent } from '../../../src/messages/lane.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { dispute, job, lock, refund, settle } from '../../fakes/chain/intents.ts'

/** What a lane remembers of what it was asked. */
const Queue = suite('queue of a lane')

const all = () => 100
/** What is answered to an intent that comes again, `ms` after its outcome. */
function again(intent: LaneIntent, outcome: Outcome, ms = 0): string {
  const queue = emptyQueue()
  finish(queue, intent, { outcome, at: 1_000 })
  return takeIntent(queue, intent, 1_000 + ms).type
}
const refused = (type: 'lock_refused' | 'settle_refused', reason: string): Outcome => ({
  ...{ type, jobId: job(1), reason },
})

Queue('given up while it waits: in no batch as long as the chain is asked about it', () => {
  const queue = emptyQueue()
  takeIntent(queue, lock(job(1)), 0)
  takeIntent(queue, lock(job(2)), 0)
  assert.is(takeIntent(queue, { ...lock(job(1)), abandon: true }, 1).type, 'ask_chain')
  assert.is(takeIntent(queue, lock(job(1)), 2).type, 'wait', 'it is under way')
  const batch = nextBatch(queue, all, 3)
  assert.equal(
    batch?.items.map((item) => 'jobId' in item && item.jobId),
    [job(2)],
  )
  assert.is(nextBatch(queue, all, 3), undefined)
  assert.equal(backlogOf(queue), { count: 2, oldestAt: 0 })
})
Queue(
  'settled is told from memory for half a minute; who asks later knows that it may be gone',
  () => {
    const outcome: Outcome = {
      ...{ type: 'settled', jobId: job(1), tx: hashOf('tx'), block: 7, charged: toCredits(8) },
      answer: { workerId: 1, outputHash: hashOf('text') },
    }
    assert.equal(
      [0, 30_000, 30_001].map((ms) => again(settle(job(1)), outcome, ms)),
      ['tell', 'tell', 'ask_chain'],
    )
  },
)
Queue('a refusal is told from memory, unless the lock may come again', () => {
  assert.is(again(settle(job(1)), refused('settle_refused', 'BadSignature')), 'tell')
  for (const reason of ['NotLocked', 'no_event']) {
    assert.is(again(settle(job(1)), refused('settle_refused', reason)), 'ask_chain')
    assert.is(again(refund(job(1)), refused('lock_refused', reason)), 'ask_chain')
  }
  const poor = refused('lock_refused', 'InsufficientCredits')
  assert.is(again(lock(job(1)), poor), 'tell')
  assert.is(again({ ...lock(job(1)), again: true }, poor), 'ask_chain')
  const back: Outcome = { type: 'refunded', jobId: job(1), tx: hashOf('tx'), block: 7 }
  assert.is(again(refund(job(1)), back), 'ask_chain', 'it may be gone with its block')
})
Queue('a lock that waits after the chain was asked about it can be given up still', () => {
  const queue = emptyQueue()
  const given = { ...lock(job(1)), again: true }
  finish(queue, given, { outcome: refused('lock_refused', 'InsufficientCredits'), at: 0 })
  assert.is(takeIntent(queue, given, 1).type, 'ask_chain')
  enqueue(queue, given, 2)
  assert.is(takeIntent(queue, { ...given, abandon: true }, 3).type, 'ask_chain')
  assert.is(nextBatch(queue, all, 4), undefined, 'nothing is locked for it any more')
})
Queue('halves hold each item once, and one item has none', () => {
  const items = [1, 2, 3].map((n) => settle(job(n)))
  const parts = halves({ type: 'settle', items })
  assert.equal(
    parts?.flatMap((part): readonly unknown[] => part.items),
    items,
  )
  assert.equal(
    parts?.map((part) => part.items.length),
    [1, 2],
  )
  assert.is(halves({ type: 'settle', items: items.slice(0, 1) }), undefined)
})
Queue('two items have halves, of whatever kind they are', () => {
  const ids = [job(1), job(2)]
  const batches: JobBatch[] = [
    { type: 'lock', items: ids.map((id) => lock(id)) },
    { type: 'refund', items: ids.map(refund) },
    { type: 'dispute', items: ids.map((id) => dispute(id)) },
  ]
  for (const { type, items } of batches) {
    const parts = items.map((item) => ({ type, items: [item] }))
    assert.equal(halves({ type, items } as JobBatch), parts)
  }
})

Queue.run()
