import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isWorthClaiming } from '../../../actors/keeper/claims.ts'
import { due } from '../../../actors/keeper/due.ts'
import { EMPTY, evolve } from '../../../actors/keeper/state.ts'
import { type TokenUnits, toCredits } from '../../../src/domain/credits.ts'
import { terms, timeOf } from '../../fakes/chain/keeper-chain.ts'
import { numbersOf, told } from './stories.ts'

const Due = suite('keeper: what is due when')

const DAY = 86_400
const HOUR = 3_600
const dueAt = (watch: Parameters<typeof due>[0], now: number) => due(watch, now, terms)

Due('a lock: a minute after anyone may take it back, the oldest first', () => {
  const events = [told(10, 'locked', 1), told(11, 'locked', 2), told(12, 'settled', 2)]
  const watch = evolve(EMPTY, [...events, told(12, 'locked', 3)], 12)
  assert.equal(dueAt(watch, timeOf(10 + 239)).refunds, [])
  const [first, ...more] = dueAt(watch, timeOf(10 + 240)).refunds
  assert.equal([numbersOf([first!.jobId]), first!.isOverdue, more], [[1], false, []])
  const all = dueAt(watch, timeOf(12 + 240)).refunds
  assert.equal(numbersOf(all.map(({ jobId }) => jobId)), [1, 3])
})

Due('two hours later it does not matter what its job hopes for', () => {
  const watch = evolve(EMPTY, [told(10, 'locked', 1)], 10)
  assert.not.ok(dueAt(watch, timeOf(10 + 180 + 2 * HOUR) - 1).refunds[0]?.isOverdue)
  assert.ok(dueAt(watch, timeOf(10 + 180 + 2 * HOUR)).refunds[0]?.isOverdue)
})

Due('a dispute: a minute after a day', () => {
  const watch = evolve(EMPTY, [told(10, 'settled', 1), told(20, 'disputed', 1)], 20)
  assert.equal(dueAt(watch, timeOf(20 + DAY + 59)).disputes, [])
  assert.equal(numbersOf(dueAt(watch, timeOf(20 + DAY + 60)).disputes), [1])
})

Due('earnings are looked at once they have been held for two windows', () => {
  const watch = evolve(EMPTY, [told(10, 'settled', 1), told(900, 'settled', 2)], 900)
  assert.equal(dueAt(watch, timeOf(10 + 1_199)).earners, [])
  assert.equal(dueAt(watch, timeOf(10 + 1_200)).earners, [1, 'treasury'])
})

Due('a claim: from the minimum on, a smaller one once a day, never of nothing', () => {
  const minimum = toCredits(100)
  const worth = (units: bigint, seconds: number) =>
    isWorthClaiming({ claimable: units as TokenUnits }, { since: 0 }, { now: seconds, minimum })
  assert.ok(worth(1_000_000n, 0))
  assert.not.ok(worth(999_999n, DAY - 1))
  assert.ok(worth(1n, DAY))
  assert.not.ok(worth(0n, 30 * DAY))
})

Due.run()
