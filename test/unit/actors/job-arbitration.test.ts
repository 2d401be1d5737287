import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  answered,
  assigned,
  complete,
  confirmDispute,
  confirmLock,
  confirmSettlement,
  dispute,
  disputed,
  disputeTx,
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
  otherHash,
  otherTx,
  paid,
  refuseDispute,
  refusedDispute,
  rejected,
  sentDispute,
  shown,
  started,
  tx,
  upheld,
  uphold,
  verdictTx,
} from './given.ts'

/** What lane and chain say of a dispute, once, twice, late and after a reorg. */
const test = suite('job: its dispute on chain')
const sent = { ...confirmDispute, block: null }
const reject = { ...uphold, upheld: false }

test('broadcast: the transaction is shown, and the dispute is asked for on', () => {
  const { job } = given(...paid, disputed)
    .when(sent)
    .then('DisputeConfirmed')
  assert.is(shown(job).disputeTx, disputeTx)
  assert.equal(keys(job), ['dispute'])
  assert.not.ok(rests(job!))
})
test('broadcast again under another hash: the new one is shown', () => {
  const { job } = given(...paid, disputed, sentDispute)
    .when({ ...sent, tx: otherTx })
    .then('DisputeConfirmed')
  assert.is(shown(job).disputeTx, otherTx)
  given(...paid, disputed, sentDispute)
    .when(sent)
    .thenNothing()
})
test('included: nothing is left to do, the job rests until arbitration ends', () => {
  const { job } = given(...paid, disputed, sentDispute)
    .when(confirmDispute)
    .then('DisputeConfirmed')
  assert.equal(keys(job), [])
  assert.ok(rests(job!))
  given(...paid, disputed)
    .when(confirmDispute)
    .then('DisputeConfirmed')
})
test('included: told again says nothing, in another block or transaction it is an update', () => {
  const open = given(...paid, disputed, openDispute)
  open.when(confirmDispute).thenNothing()
  open.when(sent).thenNothing()
  open.when({ ...sent, tx: otherTx }).thenNothing()
  const moved = open.when({ ...confirmDispute, tx: otherTx, block: 13 }).then('DisputeConfirmed')
  assert.is(shown(moved.job).disputeTx, otherTx)
})

test('opened by the wallet on chain: the job is disputed with that hash', () => {
  for (const past of [answered, paid, [...paid, disputed, refusedDispute]]) {
    const { job } = given(...past)
      .when({ ...confirmDispute, claimedHash: hash })
      .then('DisputeConfirmed')
    const view = shown(job)
    assert.equal([view.status, view.disputedHash, view.disputeTx], ['disputed', hash, disputeTx])
    given(...past)
      .when(sent)
      .thenNothing()
  }
})
test('opened by the wallet before ours was sent: what is on chain is what counts', () => {
  const { job } = given(...paid, disputed)
    .when({ ...confirmDispute, claimedHash: hash })
    .then('DisputeConfirmed')
  assert.is(shown(job).disputedHash, hash)
  assert.ok(rests(job!))
})
test('before the settlement was heard of: settling goes on', () => {
  const { job } = given(...answered).when(confirmDispute)
  assert.equal(keys(job), ['tell_edge', 'settle'])
  assert.not.ok(rests(job!))
  const then = given(...answered, openDispute)
    .when(confirmSettlement)
    .then('SettlementConfirmed')
  assert.is(shown(then.job).status, 'disputed')
  assert.ok(rests(then.job!))
})
test('of a job without an answer: says nothing', () => {
  for (const past of [
    [started],
    [started, locked, offered, assigned],
    [started, failed],
    [started, expired],
  ]) {
    for (const command of [confirmDispute, refuseDispute, uphold]) {
      given(...past)
        .when(command)
        .thenNothing()
    }
  }
})

test('refused by the contract: settled as before, and not disputed', () => {
  for (const past of [[disputed], [disputed, sentDispute], [disputed, openDispute]]) {
    const { job } = given(...paid, ...past)
      .when(refuseDispute)
      .then('DisputeRefused')
    assert.equal(shown(job), shown(given(...paid).job))
    assert.equal(keys(job), [])
    assert.ok(rests(job!))
    assert.ok(job?.status === 'settled' && job.dispute?.end === 'refused')
    assert.is(job.dispute.reason, 'DisputeWindowOver')
  }
})
test('refused: told again, or of no dispute that was asked for, says nothing', () => {
  for (const past of [
    answered,
    paid,
    [...answered, disputed],
    [...paid, disputed, refusedDispute],
    [...paid, disputed, openDispute, upheld],
    [...paid, disputed, openDispute, rejected],
  ]) {
    given(...past)
      .when(refuseDispute)
      .thenNothing()
  }
})

test('upheld: refunded, charged nothing, and all else stays known', () => {
  const before = shown(given(...paid, disputed, openDispute).job)
  const { job } = given(...paid, disputed, openDispute)
    .when(uphold)
    .then('DisputeResolved')
  const credits = { status: 'refunded', charged: NO_CREDITS, refundTx: verdictTx } as const
  assert.equal(shown(job), { ...before, ...credits })
  assert.equal(keys(job), [])
  assert.ok(rests(job!))
})
test('not upheld: settled again, and the dispute stays known', () => {
  const { job } = given(...paid, disputed, openDispute)
    .when(reject)
    .then('DisputeResolved')
  const view = shown(job)
  assert.equal(view, {
    ...shown(given(...paid).job),
    disputeTx,
    disputedHash: otherHash,
  })
  assert.is(view.charged, toCredits(9))
  assert.ok(rests(job!))
})
test('a verdict on a dispute that the wallet opened: counts like any other', () => {
  given(...paid, openDispute)
    .when(uphold)
    .then('DisputeResolved')
})
test('a verdict told twice says nothing; without a dispute there is none', () => {
  given(...paid, disputed, openDispute, upheld)
    .when(uphold)
    .thenNothing()
  given(...paid, disputed, openDispute, rejected)
    .when(reject)
    .thenNothing()
  for (const past of [answered, paid, [...answered, disputed], [...paid, disputed, refusedDispute]])
    given(...past)
      .when(uphold)
      .thenNothing()
})
test('after a reorg: the verdict in another block is an update, another verdict is followed', () => {
  const moved = { ...uphold, tx: tx, block: 21 }
  const again = given(...paid, disputed, openDispute, upheld)
    .when(moved)
    .then('DisputeResolved')
  assert.is(shown(again.job).refundTx, tx)
  const turned = given(...paid, disputed, openDispute, upheld)
    .when({ ...moved, upheld: false })
    .then('DisputeResolved')
  assert.equal([shown(turned.job).status, shown(turned.job).refundTx], ['settled', null])
  for (const end of [upheld, rejected]) {
    const before = given(...paid, disputed, openDispute, end)
    const opened = before.when({ ...confirmDispute, block: 13 }).then('DisputeConfirmed')
    assert.equal(shown(opened.job), shown(before.job))
    const settledAnew = before.when({ ...confirmSettlement, block: 10 }).then('SettlementConfirmed')
    assert.equal(shown(settledAnew.job), { ...shown(before.job), block: 10 })
  }
})
test('after the end of arbitration, nothing that comes late moves the job', () => {
  for (const end of [upheld, rejected]) {
    for (const command of [
      sent,
      confirmDispute,
      refuseDispute,
      dispute,
      confirmSettlement,
      confirmLock,
      complete,
      expire,
      failure('worker_lost'),
      { type: 'RefuseSettlement', jobId, reason: 'NotLocked', at: later(1) },
      { type: 'RefuseLock', jobId, reason: 'NotLocked', at: later(1) },
      { type: 'ConfirmRefund', jobId, tx, block: 12, at: later(1) },
      { type: 'CancelJob', jobId, at: later(1) },
    ] as JobCommand[]) {
      given(...paid, disputed, openDispute, end)
        .when(command)
        .thenNothing()
    }
  }
})

test.run()
