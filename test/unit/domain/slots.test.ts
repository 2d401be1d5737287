import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Slots } from '../../../src/domain/slots.ts'

const Kept = suite('slots')

interface Entry {
  readonly until: number
}
const entry = (until: number): Entry => ({ until })

Kept('each is found by its number until it is taken', () => {
  const slots = new Slots<Entry>()
  const [one, two] = [slots.add(entry(1)), slots.add(entry(2))]
  assert.equal(slots.get(one), entry(1))
  assert.equal(slots.take(one), entry(1))
  assert.is(slots.take(one), undefined)
  assert.equal(slots.get(two), entry(2))
  assert.equal([...slots.entries()], [[two, entry(2)]])
})

Kept('there are never more numbers than waited at once', () => {
  const slots = new Slots<Entry>()
  for (let round = 0; round < 100; round++) {
    const taken = [1, 2, 3].map((until) => slots.add(entry(until)))
    assert.ok(taken.every((slot) => slot < 3))
    assert.is(new Set(taken).size, 3)
    // Twice is once: a number is not given to two.
    for (const slot of taken) slots.take(slot)
    for (const slot of taken) slots.take(slot)
  }
})

Kept('what is taken while all are gone through is not come to', () => {
  const slots = new Slots<Entry>()
  for (const value of [1, 2, 3]) slots.add(entry(value))
  const seen: number[] = []
  for (const [slot, { until }] of slots.entries()) {
    seen.push(until)
    slots.take(slot + 1)
  }
  assert.equal(seen, [1, 3])
})

Kept('whose time is over is taken out, and the next time is told', () => {
  const slots = new Slots<Entry>()
  for (const until of [30, 10, 20, 40]) slots.add(entry(until))
  assert.equal(slots.takeLate(5), { late: [], next: 10 })
  assert.equal(slots.takeLate(20), { late: [entry(10), entry(20)], next: 30 })
  assert.equal(slots.takeLate(50), { late: [entry(30), entry(40)], next: undefined })
  assert.equal(slots.takeLate(50), { late: [], next: undefined })
})

Kept.run()
