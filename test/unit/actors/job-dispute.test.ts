import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { endingOf, reply } from '../../../actors/job/view.ts'
import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import {
  answered,
  assigned,
  at,
  completed,
  confirmSettlement,
  dispute,
  disputed,
  disputeTx,
  disputeWindowMs,
  expired,
  failed,
  given,
  hash,
  jobId,
  keys,
  later,
  locked,
  offered,
  openDispute,
  otherHash,
  otherTx,
  paid,
  refundSent,
  refusedDispute,
  rejected,
  sentDispute,
  settled,
  shown,
  started,
  tx,
  upheld,
  wallet,
} from './given.ts'

/** What a caller may contest, and when. */
const test = suite('job: disputed by its caller')
const second = { ...dispute, requestId: 'request-2' }
const answerAt = (completed as Extract<JobEvent, { type: 'JobCompleted' }>).at

test('a settled job: is disputed, and the dispute is asked for on chain', () => {
  const { job } = given(...paid)
    .when(dispute)
    .then('JobDisputed')
  const view = shown(job)
  assert.equal([view.status, view.disputedHash, view.disputeTx], ['disputed', otherHash, null])
  assert.is(view.charged, toCredits(9), 'paid for until arbitration says otherwise')
  assert.equal(keys(job), ['dispute'])
  assert.not.ok(rests(job!))
})
test('a settling job: is disputed at once, on chain only after its settlement', () => {
  const { job } = given(...answered)
    .when(dispute)
    .then('JobDisputed')
  assert.is(shown(job).status, 'disputed')
  assert.is(shown(job).charged, NO_CREDITS)
  assert.equal(keys(job), ['tell_edge', 'settle'])
  assert.not.ok(rests(job!))
  const then = given(...answered, disputed)
    .when(confirmSettlement)
    .then('SettlementConfirmed')
  assert.is(shown(then.job).status, 'disputed')
  assert.is(shown(then.job).settlementTx, otherTx)
  assert.equal(keys(then.job), ['dispute'])
})
test('a settling job whose proof the chain refuses: fails as ever, the dispute is moot', () => {
  const { job } = given(...answered, disputed)
    .when({ type: 'RefuseSettlement', jobId, reason: 'BadSignature', at })
    .then('JobFailed')
  const view = shown(job)
  assert.equal([view.status, view.disputeTx, view.disputedHash], ['failed', null, null])
  assert.ok(keys(job).includes('refund'))
  given(...answered, disputed, failed)
    .when(dispute)
    .thenRefused('job_not_completed')
})
test('a settling job whose lock never was: fails, the dispute is moot', () => {
  const broadcast: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  given(started, broadcast, offered, assigned, completed, disputed)
    .when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at })
    .then('JobFailed', 'LockRefused')
  given(started, broadcast, offered, assigned, completed, disputed, settled)
    .when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at })
    .thenNothing()
})
test('settled anew after a reorg: a dispute that was on chain is asked for again', () => {
  const open = given(...paid, disputed, openDispute)
  assert.not.ok(keys(open.job).includes('dispute'))
  const anew = open.when({ ...confirmSettlement, block: 13 }).then('SettlementConfirmed')
  assert.ok(keys(anew.job).includes('dispute'))
  assert.not.ok(rests(anew.job!))
  assert.is(shown(anew.job).disputeTx, disputeTx, 'it is on its way')
})
test('a settlement told anew in a block of the same number: its dispute is in doubt', () => {
  const open = [...paid, openDispute]
  const told = { ...confirmSettlement, final: true } as const
  const anew = { ...told, anew: true } as const
  const doubted = given(...open)
    .when(anew)
    .then('DisputeConfirmed')
  assert.ok(
    keys(doubted.job).includes('dispute'),
    'this time it may have come before the settlement',
  )
  given(...open)
    .when(told)
    .thenNothing()
  for (const past of [paid, [...open, upheld], [...open, rejected]]) {
    given(...past)
      .when(anew)
      .thenNothing()
  }
})
test('a settling job whose lock anyone refunded: fails, the dispute is moot', () => {
  const refund = { type: 'ConfirmRefund', jobId, tx, block: 12, at } as const
  given(...answered, disputed)
    .when(refund)
    .then('JobFailed', 'RefundConfirmed')
  given(...paid, disputed)
    .when({ ...refund, block: 9 })
    .thenNothing()
})

test('equal hashes: nothing opens and nothing changes, settling or settled', () => {
  for (const past of [answered, paid]) {
    const same = given(...past).when({ ...dispute, receivedHash: hash })
    same.thenNothing()
    const answer = reply(same.job, same.decision)
    assert.ok(answer.type === 'accepted' && answer.view.disputedHash === null)
  }
})

test("a job of another wallet, and one that was abandoned, look like one that isn't there", () => {
  const stranger = { ...dispute, wallet: toAddress(`0x${'9'.repeat(40)}`) }
  for (const past of [[started], answered, paid, [...paid, disputed], [started, failed]]) {
    given(...past)
      .when(stranger)
      .thenRefused('job_not_found')
  }
  given({ type: 'JobAbandoned', jobId, wallet }).when(dispute).thenRefused('job_not_found')
  const unknown = given().when(dispute)
  assert.is(unknown.decision.type, 'behind')
  assert.equal(reply(unknown.job, unknown.decision), { type: 'unknown_job' })
})
test('a job without a finished output: refused, however old it is', () => {
  for (const past of [
    [started],
    [started, locked, offered],
    [started, locked, offered, assigned],
    [started, failed],
    [started, locked, expired],
    [started, locked, expired, refundSent],
    [...answered, failed],
  ]) {
    for (const when of [dispute.at, later(999_000)]) {
      given(...past)
        .when({ ...dispute, at: when })
        .thenRefused('job_not_completed')
    }
  }
})
test('the window counts from the final output token, to its last millisecond', () => {
  for (const past of [answered, paid]) {
    const last = later(answerAt - at + disputeWindowMs)
    given(...past)
      .when({ ...dispute, at: last })
      .then('JobDisputed')
    const over = { ...dispute, at: later(answerAt - at + disputeWindowMs + 1) }
    given(...past)
      .when(over)
      .thenRefused('dispute_window_expired')
    given(...past)
      .when({ ...over, receivedHash: hash })
      .thenRefused('dispute_window_expired')
    given(...past, disputed)
      .when({ ...over, requestId: 'request-2' })
      .thenRefused('dispute_window_expired')
  }
})
test('a second dispute: refused from the first one on, whatever its hash', () => {
  for (const past of [
    [...answered, disputed],
    [...paid, disputed],
    [...paid, disputed, sentDispute],
    [...paid, disputed, openDispute],
    [...paid, openDispute],
    [...paid, disputed, openDispute, upheld],
    [...paid, disputed, openDispute, rejected],
  ]) {
    given(...past)
      .when(second)
      .thenRefused('dispute_already_open')
    given(...past)
      .when({ ...second, receivedHash: hash })
      .thenRefused('dispute_already_open')
  }
})
test('the same request again: says nothing, even after the window', () => {
  for (const past of [
    [...answered, disputed],
    [...paid, disputed, openDispute],
    [...paid, disputed, refusedDispute],
    [...paid, disputed, openDispute, upheld],
  ]) {
    given(...past)
      .when(dispute)
      .thenNothing()
    given(...past)
      .when({ ...dispute, at: later(999_000) })
      .thenNothing()
  }
})
test('after the contract refused one, another may try while our window lasts', () => {
  const { job } = given(...paid, disputed, refusedDispute)
    .when(second)
    .then('JobDisputed')
  assert.equal(keys(job), ['dispute'])
})
test('who still waits for the answer is told it, disputed or not', () => {
  for (const past of [
    [...answered, disputed],
    [...paid, disputed],
    [...paid, disputed, openDispute, upheld],
  ]) {
    assert.is(endingOf(given(...past).job!)?.type, 'completed')
  }
})

test.run()
