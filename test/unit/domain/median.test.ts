import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evenSample, median, weightedMedian } from '../../../src/domain/median.ts'

const Median = suite('median')

Median('the middle of an odd number, the mean of the two middle ones of an even number', () => {
  assert.is(median([]), undefined)
  assert.is(median([7]), 7)
  assert.is(median([9, 1, 5]), 5)
  assert.is(median([1, 100, 3, 2]), 2.5)
})

Median('a weight counts as that many values', () => {
  const values = fc.array(fc.record({ value: fc.nat(100), weight: fc.integer({ min: 1, max: 5 }) }))
  fc.assert(
    fc.property(values, (items) => {
      const spread = items.flatMap(({ value, weight }) => Array<number>(weight).fill(value))
      assert.is(weightedMedian(items), median(spread))
    }),
  )
})

Median('fractions of a weight that add up to a half fall between two values', () => {
  const third = (value: number) => ({ value, weight: 1 / 3 })
  const items = [third(1), third(2), third(3), { value: 9, weight: 1 }]
  assert.is(weightedMedian(items), 6)
})

Median('a sample of few values is all of them; of many its median is hardly another', () => {
  assert.equal(evenSample([1, 2, 3], 3), [1, 2, 3])
  const sorted = Array.from({ length: 5_000 }, (_, i) => i)
  const sample = evenSample(sorted, 64)
  assert.is(sample.length, 64)
  assert.ok(Math.abs(median(sample)! - 2_500) <= 5_000 / 100)
})

Median.run()
