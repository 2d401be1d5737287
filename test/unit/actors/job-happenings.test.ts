import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEvent } from '../../../actors/job/events.ts'
import { happeningsOf } from '../../../actors/job/facts.ts'
import {
  answered,
  assigned,
  confirmLock,
  disputed,
  expired,
  failed,
  given,
  locked,
  noPool,
  offered,
  openDispute,
  paid,
  refunded,
  refundSent,
  rejected,
  sentDispute,
  settled,
  started,
  upheld,
} from './given.ts'

/** What a state of a job says has happened, whatever states came before it. */
const Happenings = suite('job: what has happened')

const by = (...past: JobEvent[]) => happeningsOf(given(...past).job!).map(({ type }) => type)
const toProcessing = ['job.submitted', 'job.processing']
const toCompleted = [...toProcessing, 'job.completed']

Happenings('submitted: once the lock is in a block, not when it was sent', () => {
  assert.equal(by(started), [])
  assert.equal(by(started, { ...locked, block: 0 } as JobEvent), [])
  assert.equal(by(started, locked), ['job.submitted'])
  assert.equal(by(started, locked, offered), ['job.submitted'])
})
Happenings('processing: when a worker has it, and still when another is looked for', () => {
  assert.equal(by(started, locked, offered, assigned), toProcessing)
  const lost: JobEvent = { type: 'OfferFailed', excludePool: false }
  assert.equal(by(started, locked, offered, assigned, lost), toProcessing)
  assert.equal(by(started, locked, offered, assigned, lost, offered), toProcessing)
  assert.equal(by(started, locked, offered, lost, offered), ['job.submitted'], 'nobody took it')
})
Happenings('completed: when the settlement is final, and not with the answer', () => {
  assert.equal(by(...answered), toProcessing)
  assert.equal(by(...paid), toCompleted)
})
Happenings(
  'completed: what was told stays, though the chain goes back behind lock and settlement',
  () => {
    assert.equal(by(...paid, { ...locked, block: 0 } as JobEvent), toCompleted)
  },
)
Happenings('disputed: when it is on chain; completed stays', () => {
  assert.equal(by(...paid, disputed), toCompleted)
  assert.equal(by(...paid, disputed, sentDispute), toCompleted)
  assert.equal(by(...paid, disputed, openDispute), [...toCompleted, 'job.disputed'])
  assert.equal(by(...answered, disputed), toProcessing, 'kept until it is settled')
  assert.equal(by(...answered, disputed, settled), toCompleted)
})
Happenings('a verdict, a day later, says nothing again, and is no timeout', () => {
  assert.equal(by(...paid, disputed, openDispute, rejected), [])
  assert.equal(by(...paid, disputed, openDispute, upheld), [])
})
Happenings('timeout, failed: once the credits are back, by a block', () => {
  assert.equal(by(started, locked, expired), ['job.submitted'])
  assert.equal(by(started, locked, expired, refundSent), ['job.submitted'])
  assert.equal(by(started, locked, expired, refunded), ['job.submitted', 'job.timeout'])
  const toFailed = by(started, locked, offered, assigned, failed, refunded)
  assert.equal(toFailed, [...toProcessing, 'job.failed'])
})
Happenings('failed: at once where nothing was locked', () => {
  assert.equal(by(started, failed), [])
  assert.equal(by(started, failed, { type: 'LockRefused' }), ['job.failed'])
})
Happenings('failed: for a reason in one word', () => {
  const { job } = given(started).when(confirmLock, noPool).then('LockConfirmed', 'JobFailed')
  assert.ok(job?.status === 'failed')
  assert.is(job.refusal.reason ?? job.refusal.code, 'no_workers_available')
  const [, failure] = happeningsOf(given(started, locked, failed, refunded).job!)
  assert.equal(failure, { type: 'job.failed', reason: 'internal_error' })
})

Happenings.run()
