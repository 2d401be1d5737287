import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { happeningsOf } from '../../../actors/job/facts.ts'
import { endingOf, reply } from '../../../actors/job/view.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  assigned,
  at,
  confirmDispute,
  confirmSettlement,
  dispute,
  expired,
  given,
  hash,
  jobId,
  keys,
  locked,
  offered,
  otherTx,
  refundSent,
  shown,
  started,
  tx,
  uphold,
  worker,
} from './given.ts'

/** A journal that came back from a backup: the chain knows an answer that it does not. */
const test = suite('job: settled by word of the chain')

const settledOnChain = {
  ...confirmSettlement,
  answer: { workerId: 3, outputHash: hash },
} as const satisfies JobCommand

const PASTS: Readonly<Record<string, readonly JobEvent[]>> = {
  'waits for its lock': [started],
  'waits for a worker': [started, locked, offered],
  'has a worker': [started, locked, offered, assigned],
  'took itself for expired': [started, locked, expired],
  'took its refund for sent': [started, locked, expired, refundSent],
}

for (const [name, past] of Object.entries(PASTS)) {
  test(`a job that ${name}: is settled as the chain says`, () => {
    const { job } = given(...past)
      .when(settledOnChain)
      .then('SettlementFound')
    const { status, charged, settlementTx, block, proofHash, usage, refundTx } = shown(job)
    assert.equal([status, charged, settlementTx, block], ['settled', toCredits(9), otherTx, 9])
    assert.equal([proofHash, usage, refundTx], [hash, null, null])
    assert.equal(happeningsOf(job!), [])
    assert.not('proof' in reply(job, { type: 'nothing' }))
  })
}

test('its lock stays known, unless a refund that was sent says that it is gone', () => {
  const lockOf = (...past: JobEvent[]) => {
    const { job } = given(...past).when(settledOnChain)
    return [shown(job).escrowTx, ...keys(job)]
  }
  assert.equal(lockOf(started, locked, offered), [tx])
  assert.equal(lockOf(started, locked, expired), [tx])
  assert.equal(lockOf(started, locked, expired, refundSent), [null, 'lock.true'])
})
test('its worker is named where the journal knows it', () => {
  const workerOf = (workerId: number) => {
    const told = { ...settledOnChain, answer: { workerId, outputHash: hash } }
    return shown(given(started, locked, offered, assigned).when(told).job).worker
  }
  assert.equal([workerOf(3), workerOf(4)], [worker, null])
})
test('one whose lock was not known asks for its transaction, and then rests', () => {
  const found = given(started).when(settledOnChain)
  assert.ok(keys(found.job).includes('lock.true') && !rests(found.job!))
  const past = [started, ...eventsOf(found)]
  const { job } = given(...past)
    .when({ type: 'ConfirmLock', jobId, tx, block: 7, at })
    .then('LockConfirmed')
  assert.ok(rests(job!))
  assert.is(shown(job).escrowTx, tx)
})
test('told twice: counts once', () => {
  const past = [started, locked, ...eventsOf(given(started, locked).when(settledOnChain))]
  given(...past)
    .when(settledOnChain)
    .thenNothing()
})
test('an older host does not say what was settled: it is told again by a newer one', () => {
  given(started, locked).when(confirmSettlement).thenNothing()
})
test('its dispute is on chain like every other; in the API its window is over', () => {
  const past = [started, locked, ...eventsOf(given(started, locked).when(settledOnChain))]
  given(...past)
    .when(dispute)
    .thenRefused('dispute_window_expired')
  const opened = given(...past)
    .when(confirmDispute)
    .then('DisputeConfirmed')
  const disputed = [...past, ...eventsOf(opened)]
  const { job } = given(...disputed)
    .when(uphold)
    .then('DisputeResolved')
  assert.equal([shown(job).status, shown(job).charged], ['refunded', toCredits(0)])
})
test('who asks for the answer again is told that it is gone', () => {
  const ending = endingOf(given(started, locked).when(settledOnChain).job!)
  assert.ok(ending?.type === 'failed' && ending.refusal.code === 'answer_gone')
})

const eventsOf = ({ decision }: { decision: { type: string; events?: readonly JobEvent[] } }) =>
  decision.events ?? []

test.run()
