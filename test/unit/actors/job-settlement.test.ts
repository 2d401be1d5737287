import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import { answer, reply, viewOf } from '../../../actors/job/view.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toHex32 } from '../../../src/domain/ids.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  answered,
  assigned,
  at,
  complete,
  completed,
  confirmLock,
  confirmSettlement,
  disputed,
  expire,
  expired,
  failed,
  failure,
  given,
  hash,
  jobId,
  keys,
  later,
  locked,
  offered,
  openDispute,
  otherTx,
  paid,
  refunded,
  refundSent,
  settled,
  shown,
  started,
  terms,
  tx,
  wallet,
  worker,
} from './given.ts'

const test = suite('job: settled, refunded, shown')

test('settlement: confirmed, the job is at rest', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when({
      type: 'ConfirmSettlement',
      jobId,
      tx: otherTx,
      block: 9,
      charged: toCredits(9),
      at: later(2_000),
    })
    .then('SettlementConfirmed')
  assert.ok(rests(job!))
})
test('settlement: what the chain charged counts, contested or not, and where it is told anew', () => {
  for (const past of [answered, [...answered, disputed], paid, [...paid, disputed, openDispute]]) {
    const { job } = given(...past)
      .when({ ...confirmSettlement, block: 10, charged: toCredits(7) })
      .then('SettlementConfirmed')
    assert.is(shown(job).charged, toCredits(7))
  }
})
test('reply: once completed, with what the worker has signed', () => {
  const { signature } = complete as { signature: object }
  const running = given(started, locked, offered, assigned).when(complete)
  const answer = reply(running.job, running.decision)
  assert.ok(answer.type === 'accepted')
  const signed = { outputHash: answer.view.proofHash, outputTokens: 600 }
  assert.equal(answer.proof, { ...signed, completedAt: 1_800_000_001, signature })
  const before = reply(given(started, locked, offered).job, { type: 'nothing' })
  assert.not('proof' in before, 'nothing is signed yet')
  assert.is(answer.workerId, 3)
})
test('answer: a word to who reports what the job holds, all that it holds to who reports something else', () => {
  const word = { type: 'accepted' }
  const report = complete as Extract<JobCommand, { type: 'CompleteJob' }>
  const taken = given(started, locked, offered, assigned).when(report)
  assert.equal(answer(taken.job, taken.decision, report), word)
  const again = given(started, locked, offered, assigned, completed).when(report)
  assert.equal(answer(again.job, again.decision, report), word, 'said twice')

  const other = { ...report, outputHash: toHex32(`0x${'9'.repeat(64)}`) }
  const held = given(started, locked, offered, assigned, completed).when(other)
  assert.equal(answer(held.job, held.decision, other), reply(held.job, held.decision))
  const usage = { ...report.usage, completionTokens: report.usage.completionTokens + 1 }
  assert.ok('view' in answer(held.job, held.decision, { ...report, usage }), 'more tokens')
  const early = given(started, locked).when({ ...report, attempt: 7 })
  assert.ok('view' in answer(early.job, early.decision, { ...report, attempt: 7 }), 'not taken')
  const question: JobCommand = { type: 'GetJob', jobId }
  assert.ok('view' in answer(held.job, { type: 'nothing' }, question))
})
test('settlement: refused, fails and gives the credits back', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when({ type: 'RefuseSettlement', jobId, reason: 'BadSignature', at })
    .then('JobFailed')
  assert.ok(keys(job).includes('refund'))
  assert.is(shown(job).worker, worker, 'whose proof it was')
})
test('settlement: refused again, or of a job without an answer, says nothing', () => {
  const refused = { type: 'RefuseSettlement', jobId, reason: 'BadSignature', at } as const
  for (const past of [
    [started],
    [started, locked, offered, assigned],
    [started, locked, expired],
    [started, locked, offered, assigned, completed, failed],
  ]) {
    for (const reason of ['BadSignature', 'NotLocked']) {
      given(...past)
        .when({ ...refused, reason })
        .thenNothing()
    }
  }
})
test('settlement: finds no lock, and the lock is asked for again; the lock lane has the last word', () => {
  const answered = given(started, locked, offered, assigned, completed)
  const refused = { type: 'RefuseSettlement', jobId, at } as const
  for (const reason of ['NotLocked', 'no_event']) {
    const { job } = answered.when({ ...refused, reason }).then('LockConfirmed')
    assert.ok(keys(job).includes('lock.false') && keys(job).includes('settle'))
  }
  const open = given(started, locked, offered, assigned, completed, {
    type: 'LockConfirmed',
    tx,
    block: 0,
  })
  open.when({ ...refused, reason: 'NotLocked' }).thenNothing()
  const back = open.when({ type: 'ConfirmLock', jobId, tx: otherTx, block: 12, at })
  assert.not.ok(keys(back.then('LockConfirmed').job).includes('lock.false'))
  open
    .when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', block: 12, at })
    .then('JobFailed', 'LockRefused')
  // Somebody has given it back: it never comes again.
  answered.when({ ...refused, reason: 'LockReturned' }).then('JobFailed')
})
test('settlement: gone with its lock, the lock of a settled job is asked for again', () => {
  const done = given(started, locked, offered, assigned, completed, settled)
  const refused = { type: 'RefuseSettlement', jobId, reason: 'NotLocked', at } as const
  done.when(refused).thenNothing()
  done.when({ ...refused, block: 9 }).thenNothing()
  done.when({ ...refused, reason: 'LockReturned', block: 12 }).thenNothing()
  const { job } = done.when({ ...refused, block: 12 }).then('LockConfirmed')
  assert.ok(keys(job).includes('lock.false') && !rests(job!))
  const reopened = [started, locked, offered, assigned, completed, settled] as const
  const open = given(...reopened, { type: 'LockConfirmed', tx, block: 0 })
  open.when({ ...refused, block: 13 }).thenNothing()
  const back = open.when({ type: 'ConfirmLock', jobId, tx: otherTx, block: 13, at })
  assert.ok(rests(back.then('LockConfirmed').job!))
  for (const reason of ['Paused', 'JobIdUsed']) {
    open.when({ type: 'RefuseLock', jobId, reason, block: 13, at }).thenNothing()
  }
  for (const reason of ['InsufficientCredits', 'SpendLimitReached']) {
    open.when({ type: 'RefuseLock', jobId, reason, block: 13, at }).then('JobFailed', 'LockRefused')
  }
})
test('settlement: gone, and its worker has left on the other branch: the job fails, and its lock goes back', () => {
  const done = given(started, locked, offered, assigned, completed, settled)
  const refused = { type: 'RefuseSettlement', jobId, reason: 'UnknownWorker', at } as const
  done.when(refused).thenNothing()
  done.when({ ...refused, block: 9 }).thenNothing()
  const { job } = done.when({ ...refused, block: 12 }).then('JobFailed')
  assert.ok(keys(job).includes('refund') && !rests(job!))
})
test('settlement: a settled job never moves', () => {
  const done = given(started, locked, offered, assigned, completed, settled)
  for (const command of [
    complete,
    expire,
    confirmLock,
    failure('worker_lost'),
    { type: 'CancelJob', jobId, at },
    { type: 'ConfirmRefund', jobId, tx, block: 9, at },
  ] as JobCommand[]) {
    done.when(command).thenNothing()
  }
})
test('refund: sent and then mined, comes to rest', () => {
  const sent = given(started, locked, expired, refundSent)
  assert.not.ok(rests(sent.job!))
  const { job } = sent
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at })
    .then('RefundConfirmed')
  assert.ok(rests(job!))
  for (const { escrowTx, refundTx } of [shown(sent.job), shown(job)]) {
    assert.equal(
      [escrowTx, refundTx],
      [tx, otherTx],
      'where the credits were, and how they came back',
    )
  }
  assert.equal([shown(sent.job).block, shown(job).block], [null, 11])
  const never = given(started, expired, refunded)
  assert.is(shown(never.job).escrowTx, null, 'nobody has told of the lock')
})
test('refund: told twice, counts once', () => {
  given(started, locked, expired, refunded)
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at })
    .thenNothing()
})
test('refund: by anyone after expiry, ends a job that was settling', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at })
    .then('JobFailed', 'RefundConfirmed')
  assert.ok(rests(job!))
})
test('refund: sent and in no block yet, ends no job that may still be paid', () => {
  for (const past of [[offered], [offered, assigned], [offered, assigned, completed]]) {
    given(started, locked, ...past)
      .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: null, at })
      .thenNothing()
  }
})
test('view: what is not known yet is null', () => {
  const view = viewOf(given(started).job as Parameters<typeof viewOf>[0])
  assert.equal(
    [view.worker, view.completedAt, view.escrowTx, view.settlementTx, view.usage],
    [null, null, null, null, null],
  )
  assert.is(view.charged, toCredits(0))
})
test('view: of a settled job, all of it', () => {
  assert.equal(shown(given(...paid).job), {
    ...{ id: jobId, wallet, model: terms.model, tier: 'standard', lock: terms.lock },
    ...{ status: 'settled', createdAt: at, completedAt: later(1_000), worker },
    ...{ charged: toCredits(9), usage: { promptTokens: 10, completionTokens: 600 } },
    ...{ escrowTx: tx, settlementTx: otherTx, refundTx: null, disputeTx: null },
    ...{ block: 9, proofHash: hash, disputedHash: null },
  })
})
test('view: nothing is charged until settled', () => {
  const settling = given(started, locked, offered, assigned, completed).job
  assert.is(viewOf(settling as Parameters<typeof viewOf>[0]).charged, toCredits(0))
  const done = given(started, locked, offered, assigned, completed, settled).job
  assert.is(viewOf(done as Parameters<typeof viewOf>[0]).charged, toCredits(9))
})
test('view: a tombstone looks like a job that never was', () => {
  const { job } = given({ type: 'JobAbandoned', jobId, wallet })
  assert.equal(reply(job, { type: 'nothing' }), { type: 'unknown_job' })
})

test.run()
