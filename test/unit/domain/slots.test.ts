import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Slots } from '../../../src/domain/slots.ts'

const Kept = suite('slots')

Kept('each is found by its number until it is taken', () => {
  const slots = new Slots<string>()
  const [one, two] = [slots.add('one'), slots.add('two')]
  assert.is(slots.get(one), 'one')
  assert.is(slots.take(one), 'one')
  assert.is(slots.take(one), undefined)
  assert.is(slots.get(two), 'two')
  assert.equal([...slots.entries()], [[two, 'two']])
})

Kept('there are never more numbers than waited at once', () => {
  const slots = new Slots<number>()
  for (let round = 0; round < 100; round++) {
    const taken = [slots.add(1), slots.add(2), slots.add(3)]
    assert.ok(taken.every((slot) => slot < 3))
    assert.is(new Set(taken).size, 3)
    // Twice is once: a number is not given to two.
    for (const slot of taken) slots.take(slot)
    for (const slot of taken) slots.take(slot)
  }
})

Kept('what is taken while all are gone through is not come to', () => {
  const slots = new Slots<number>()
  for (const value of [1, 2, 3]) slots.add(value)
  const seen: number[] = []
  for (const [slot, value] of slots.entries()) {
    seen.push(value)
    slots.take(slot + 1)
  }
  assert.equal(seen, [1, 3])
})

Kept.run()
