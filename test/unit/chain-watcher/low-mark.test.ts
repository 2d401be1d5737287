import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judgeLow, type LowVerdict } from '../../../actors/chain-watcher/low-mark.ts'
import { toCredits } from '../../../src/domain/credits.ts'

const Low = suite('low mark, threshold 100')

/** What a log that brings the wallet from `before` to `after` gives rise to. */
const from = (before: number, after: number, isMarked = false, threshold = 100): LowVerdict =>
  judgeLow(isMarked, {
    owned: toCredits(after),
    ownedBefore: BigInt(before),
    isDecrease: after < before,
    threshold: toCredits(threshold),
  })
/** The same, where nobody knows what was before. */
const known = (after: number, isDecrease: boolean, isMarked = false): LowVerdict =>
  judgeLow(isMarked, {
    owned: toCredits(after),
    ownedBefore: undefined,
    isDecrease,
    threshold: toCredits(100),
  })

Low('told when the balance comes to be under the threshold, not at it', () => {
  assert.is(from(108, 100), 'nothing')
  assert.is(from(100, 92), 'tell')
  assert.is(from(1_000, 0), 'tell')
})

Low('told once, and again after it was back', () => {
  assert.is(from(92, 84, true), 'nothing')
  assert.is(from(84, 99, true), 'nothing')
  assert.is(from(84, 100, true), 'mark_above')
  assert.is(from(100, 92), 'tell')
})

Low('a first purchase that is under the threshold is not a drop, nor what is spent of it', () => {
  assert.is(from(0, 100, false, 500), 'mark_told')
  assert.is(from(100, 92, true, 500), 'nothing')
  assert.is(from(92, 592, true, 500), 'mark_above')
  assert.is(from(592, 492, false, 500), 'tell')
})

Low('a threshold that is raised above the balance is not a drop', () => {
  assert.is(from(300, 292, false, 500), 'mark_told')
})

Low('after a crash or a flush: low and never told is told, but not for what went up', () => {
  assert.is(known(92, true), 'tell')
  assert.is(known(92, true, true), 'nothing')
  assert.is(known(92, false), 'nothing')
  assert.is(known(192, true), 'nothing')
  assert.is(known(192, true, true), 'mark_above')
})

Low('a threshold of nothing is never crossed', () => {
  assert.is(from(100, 0, false, 0), 'nothing')
})

Low.run()
