import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  isLocked,
  isRefusedDispute,
  readHistory,
  refusal,
  wasLocked,
} from '../../../actors/settlement/outcome.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'

/** What a job's history on chain says of what was asked for. */
const Outcomes = suite('outcome of an intent')

const jobId = job(1)
const claimedHash = hashOf('other')
const dispute = { type: 'dispute', jobId, claimedHash } as const
const place = (block: number) => ({
  ...{ block, blockHash: hashOf(`block ${block}`), tx: hashOf(`tx ${block}`), logIndex: 0 },
  ...{ jobId, wallet: WALLET },
})
const locked: ChainFact = { ...place(5), type: 'locked', credits: toCredits(10) }
const refunded: ChainFact = { ...place(7), type: 'refunded', credits: toCredits(10) }
const settled: ChainFact = {
  ...{ ...place(6), type: 'settled', workerId: 1, outputHash: hashOf('text') },
  ...{ charged: toCredits(8), returned: toCredits(2) },
}

Outcomes(
  'a refusal of lock or settlement names its block, by which a paid job tells what is later',
  () => {
    const blockOf = (...args: Parameters<typeof refusal>) => {
      const told = refusal(...args)
      return [told.type, 'block' in told ? told.block : undefined]
    }
    assert.equal(blockOf(lock(jobId), 'InsufficientCredits', 9), ['lock_refused', 9])
    assert.equal(blockOf(settle(jobId), 'UnknownWorker', 9), ['settle_refused', 9])
    assert.equal(blockOf(lock(jobId), 'abandoned'), ['lock_refused', undefined])
    // Nothing to give back is no word of the lock's end.
    assert.equal(blockOf(refund(jobId), 'NotLocked', 9), ['lock_refused', undefined])
    assert.equal(blockOf(dispute, 'NotSettled', 9), ['dispute_refused', undefined])
  },
)
Outcomes('a lock is one until it is settled or given back, and was one for ever', () => {
  const states = [[], [locked], [locked, settled], [locked, refunded]] as const
  assert.equal(states.map(isLocked), [false, true, false, false])
  assert.equal(states.map(wasLocked), [false, true, true, true])
})
Outcomes(
  'what ends a lock answers a refund; a settlement is answered by a settlement alone',
  () => {
    assert.is(readHistory(refund(jobId), [locked]), undefined)
    assert.is(readHistory(refund(jobId), [locked, settled])?.type, 'settled')
    assert.is(readHistory(refund(jobId), [locked, refunded])?.type, 'refunded')
    assert.is(readHistory(settle(jobId), [locked, refunded]), undefined)
    assert.is(readHistory(settle(jobId), [locked, settled])?.type, 'settled')
    assert.is(readHistory(lock(jobId), [locked, settled])?.type, 'locked')
  },
)
Outcomes('a dispute is refused for ever once its window is over, or its credits are back', () => {
  assert.ok(isRefusedDispute('DisputeWindowOver', [locked, settled]))
  assert.ok(isRefusedDispute('NotSettled', [locked, refunded]))
  assert.not(isRefusedDispute('NotSettled', [locked]))
})

Outcomes.run()
