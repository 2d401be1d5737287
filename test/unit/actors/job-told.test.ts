import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEvent } from '../../../actors/job/events.ts'
import type { Job } from '../../../actors/job/state.ts'
import type { JobRefusal } from '../../../actors/job/terms.ts'
import { endingOf } from '../../../actors/job/view.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  answered,
  assigned,
  at,
  confirmLock,
  confirmSettlement,
  expire,
  failure,
  given,
  hash,
  jobId,
  later,
  locked,
  noPool,
  offered,
  otherTx,
  refunded,
  refundSent,
  started,
  terms,
} from './given.ts'

/** What a caller branches on: code, parameter and details of the error, and the reason that events carry. */
const test = suite('job: what its caller is told')

function told(job: Job | undefined) {
  const ending = endingOf(job!)
  assert.ok(ending?.type === 'failed')
  const refusal: JobRefusal = ending.refusal
  const { code, param, details, reason, message } = refusal
  assert.ok(message.endsWith('.') && !message.includes('undefined'), message)
  return { code, param, details, reason }
}
const afterAll = (past: readonly JobEvent[], command: JobCommand) =>
  told(given(...past).when(command).job)
const plain = { param: undefined, details: undefined }

test('no worker: which model, and when to ask again', () => {
  assert.equal(told(given(started).when(confirmLock, noPool).job), {
    ...{ code: 'no_workers_available', param: 'model', reason: undefined },
    details: { model: terms.model, retry_after: 5 },
  })
})
test('no credits on chain: how many it takes', () => {
  const refuse = (reason: string) =>
    afterAll([started], { type: 'RefuseLock', jobId, reason, at } as const)
  const details = { credits_required: 12, tier: 'standard' }
  for (const reason of ['InsufficientCredits', 'SpendLimitReached']) {
    const expected = { ...plain, code: 'insufficient_credits', details, reason: undefined }
    assert.equal(refuse(reason), expected)
  }
  assert.equal(refuse('Paused'), { ...plain, code: 'service_unavailable', reason: 'paused' })
  assert.equal(refuse('JobIdUsed'), { ...plain, code: 'internal_error', reason: 'lock_refused' })
})
test('a prompt that is too long: which parameter', () => {
  const end = afterAll([started, locked, offered], failure('context_length_exceeded'))
  const code = 'context_length_exceeded'
  assert.equal(end, { ...plain, code, param: 'messages', reason: undefined })
})
test('timed out: how many credits come back, and by what transaction once it is known', () => {
  const { job } = given(started, locked, offered, assigned).when(expire).then('JobExpired')
  const details = { job_id: jobId, credits_refunded: 12 }
  const code = 'job_timeout'
  assert.equal(told(job), { ...plain, code, details, reason: undefined })
  const ending = endingOf(job!)
  assert.match(ending?.type === 'failed' ? ending.refusal.message : '', 'within 120 s')
  const past = given(started, locked, offered, assigned).when(expire).decision
  assert.ok(past.type === 'accept')
  for (const back of [refundSent, refunded]) {
    const { job } = given(started, locked, offered, assigned, ...past.events, back)
    assert.equal(told(job).details, { ...details, refund_tx: otherTx })
  }
})
test('after its answer: that its proof was refused, that its lock is gone, that its text is', () => {
  const refused = { type: 'RefuseSettlement', jobId, reason: 'BadSignature', at } as const
  const internal = { ...plain, code: 'internal_error' }
  assert.equal(afterAll(answered, refused), { ...internal, reason: 'settlement_refused' })
  const back = { type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at: later(1_000) } as const
  assert.equal(afterAll(answered, back), { ...internal, reason: 'refunded_on_chain' })
  const settled = { ...confirmSettlement, answer: { workerId: 3, outputHash: hash } }
  assert.equal(afterAll([started, locked], settled), {
    ...{ code: 'answer_gone', param: undefined, reason: undefined },
    details: { job_id: jobId, credits_charged: 9 },
  })
})
test('torn: by a worker that was lost, or by the way to who asked', () => {
  const past = [started, locked, offered, assigned]
  const tear = (unseen: boolean) =>
    afterAll(past, { type: 'CancelJob', jobId, torn: true, unseen, at } as const)
  assert.equal(tear(false), { ...plain, code: 'internal_error', reason: 'worker_lost' })
  assert.equal(tear(true), { ...plain, code: 'service_unavailable', reason: 'cancelled' })
})

test.run()
