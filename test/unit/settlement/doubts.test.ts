import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeDoubts } from '../../../actors/settlement/doubts.ts'
import type { Outcome } from '../../../actors/settlement/outcome.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, lock, WALLET } from '../../fakes/chain/intents.ts'

/** Whose locks are told at the broadcast: a job that begins under none is answered for nothing. */
const Doubts = suite('doubts about locks')

const OTHER = toAddress(`0x${'0e'.repeat(20)}`)
const refused = (n: number, reason: string): Outcome => ({
  ...{ type: 'lock_refused', jobId: job(n), reason },
})
const locked = (n: number): Outcome => ({
  ...{ type: 'locked', jobId: job(n), tx: hashOf('tx'), block: 7 },
})
function open() {
  const doubts = makeDoubts()
  for (const n of [1, 2]) doubts.sent({ ...lock(job(n)), wallet: WALLET })
  doubts.sent({ ...lock(job(3)), wallet: OTHER })
  return { doubts, about: () => [doubts.about(WALLET), doubts.about(OTHER)] }
}

Doubts('a wallet that could not pay: about it alone, until a lock of its own is taken', () => {
  const { doubts, about } = open()
  assert.equal(about(), [false, false])
  doubts.heard(refused(1, 'SpendLimitReached'))
  assert.equal(about(), [true, false])
  doubts.heard(locked(3))
  assert.equal(about(), [true, false])
  doubts.heard(locked(2))
  assert.equal(about(), [false, false])
})
Doubts('what stops all locks: about everybody, until any is taken', () => {
  for (const reason of ['Paused', 'reverted']) {
    const { doubts, about } = open()
    doubts.heard(refused(1, reason))
    assert.equal(about(), [true, true], reason)
    doubts.heard(locked(3))
    assert.equal(about(), [false, false])
  }
})
Doubts('what was not told at the broadcast, or is told again, says nothing', () => {
  const { doubts, about } = open()
  doubts.heard(refused(9, 'Paused'))
  doubts.heard({ type: 'settle_refused', jobId: job(1), reason: 'Paused' })
  assert.equal(about(), [false, false])
  doubts.heard(refused(1, 'InsufficientCredits'))
  doubts.heard(locked(2))
  doubts.heard(refused(1, 'InsufficientCredits'))
  assert.equal(about(), [false, false])
})

Doubts.run()
