import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Measured, Pace } from '../../../src/worker/pace.ts'

const Paces = suite('pace')

/** Milliseconds of a clock that only goes forward. */
const NOW = 1_000_000

const paceOf = (all: readonly Measured[]): Pace => {
  const pace = new Pace()
  for (const each of all) pace.add(each, NOW)
  return pace
}
const answer = (more: Partial<Measured> = {}): Measured => ({
  promptTokens: 100,
  firstTokenMs: 200,
  outputTokens: 50,
  generationMs: 1_000,
  ...more,
})

Paces('says nothing before it has seen a few answers', () => {
  assert.is(paceOf([answer(), answer()]).expectMs(100, 50, NOW), undefined)
})

Paces('expects what it has seen', () => {
  const pace = paceOf([answer(), answer(), answer()])
  assert.is(pace.expectMs(100, 50, NOW), 1_200)
  // The longest of what callers usually get, not all that they allow.
  assert.is(pace.expectMs(100, 100_000, NOW), 1_200)
  assert.is(pace.expectMs(100, 25, NOW), 700)
})

Paces('a longer prompt takes longer to the first token, where that was seen', () => {
  const pace = paceOf(
    [100, 1_000, 4_000].map((promptTokens) =>
      answer({ promptTokens, firstTokenMs: 150 + promptTokens / 2, outputTokens: 0 }),
    ),
  )
  assert.is(Math.round(pace.expectMs(8_000, 10, NOW)!), 4_150)
  const noisy = paceOf([
    answer({ promptTokens: 10, firstTokenMs: 400 }),
    answer({ promptTokens: 20, firstTokenMs: 300 }),
    answer({ promptTokens: 30, firstTokenMs: 200 }),
  ])
  assert.is(noisy.expectMs(10_000, 0, NOW), 300)
})

Paces('the last answers count: a machine gets faster and slower', () => {
  const slow = Array.from({ length: 40 }, () => answer({ generationMs: 50_000 }))
  const fast = Array.from({ length: 32 }, () => answer())
  assert.is(paceOf([...slow, ...fast]).expectMs(100, 50, NOW), 1_200)
})

Paces('what is old is forgotten: a worker that refuses all would never measure again', () => {
  const slow = paceOf([1, 2, 3].map(() => answer({ generationMs: 500_000 })))
  assert.is(slow.expectMs(100, 50, NOW + 599_000), 500_200)
  assert.is(slow.expectMs(100, 50, NOW + 600_000), undefined)
})

Paces.run()
