import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { estimate, priceOf, tokensCovered } from '../../../src/domain/pricing.ts'
import { TIERS } from '../../../src/domain/tiers.ts'

const test = suite('pricing')
const tier = fc.constantFrom(...TIERS)
const tokens = fc.integer({ min: 0, max: 200_000 })

test('flat up to and including 500 tokens, then by the started thousandth', () => {
  assert.is(priceOf('max', 0), 40n)
  assert.is(priceOf('max', 500), 40n)
  assert.is(priceOf('max', 501), 41n)
  assert.is(priceOf('max', 550), 41n)
  assert.is(priceOf('max', 551), 42n)
  assert.is(priceOf('lite', 1_500), 3n)
  assert.is(priceOf('standard', 1_500), 12n)
  assert.is(priceOf('pro', 1_500), 27n)
})

test('more tokens never cost less', () => {
  fc.assert(fc.property(tier, tokens, (t, n) => priceOf(t, n) <= priceOf(t, n + 1)))
})

test('what a lock covers costs no more than the lock, and one token more costs more', () => {
  fc.assert(
    fc.property(tier, fc.integer({ min: 0, max: 10_000 }), (t, credits) => {
      const lock = toCredits(credits)
      const covered = tokensCovered(t, lock)
      if (covered === 0) return lock < priceOf(t, 0)
      return priceOf(t, covered) <= lock && priceOf(t, covered + 1) > lock
    }),
  )
})

test('an explicit cap is locked in full, whatever the balance', () => {
  const { lock, outputTokensMax } = estimate('standard', 1_500, 32_000, toCredits(0))
  assert.is(lock, 12n)
  assert.is(outputTokensMax, 1_500)
})

test('an open end is cut down to the balance, never below the flat price', () => {
  fc.assert(
    fc.property(tier, fc.integer({ min: 0, max: 5_000 }), (t, credits) => {
      const balance = toCredits(credits)
      const { lock, outputTokensMax } = estimate(t, undefined, 32_000, balance)
      const flat = priceOf(t, 0)
      assert.ok(lock >= flat && (lock <= balance || lock === flat))
      return outputTokensMax <= 32_000 && priceOf(t, outputTokensMax) <= lock
    }),
  )
})

test('nor above what the model can answer, however much there is, or where that is not known', () => {
  const all = { lock: priceOf('pro', 32_000), outputTokensMax: 32_000 }
  for (const balance of [all.lock, toCredits(all.lock + 1n), toCredits(1_000_000), undefined]) {
    assert.equal(estimate('pro', undefined, 32_000, balance), all)
  }
})

test.run()
