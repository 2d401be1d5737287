import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LookPace } from '../../../src/chain/send/look-pace.ts'

const lookPace = suite('when a lane looks for its receipts')

/** Each look is on its way for `wayMs`, there and back. @returns of each transaction: found after, looks */
function transactions(pace: LookPace, count: number, inclusionMs: number, wayMs: number) {
  return Array.from({ length: count }, () => {
    let askedMs = pace.firstMs
    let waitMs = pace.nextMs
    for (let looks = 1; ; looks++) {
      if (askedMs >= inclusionMs) {
        pace.found(askedMs, looks === 1)
        return { lateMs: askedMs - inclusionMs, looks }
      }
      askedMs += wayMs + waitMs
      waitMs *= 2
    }
  })
}
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

lookPace('what is there at once is found at once, however long a look is on its way', () => {
  const pace = new LookPace()
  transactions(pace, 20, 20, 4)
  const later = transactions(pace, 100, 0, 4)
  assert.ok(mean(later.slice(50).map(({ lateMs }) => lateMs)) < 0.1)
})

for (const inclusionMs of [0.5, 3, 8, 20]) {
  lookPace(`a block after ${inclusionMs} ms is found soon, with few looks in vain`, () => {
    const seen = transactions(new LookPace(), 300, inclusionMs, 0.4).slice(50)
    const late = mean(seen.map(({ lateMs }) => lateMs))
    assert.ok(late < 0.4 + inclusionMs / 8, `late by ${late} ms`)
    assert.ok(mean(seen.map(({ looks }) => looks)) < 2.5)
  })
}

lookPace('one that took long makes the next ones late by little, and not for long', () => {
  const pace = new LookPace()
  transactions(pace, 50, 2, 0.4)
  transactions(pace, 1, 60_000, 0.4)
  assert.ok(pace.firstMs <= 25)
  const [after] = transactions(pace, 20, 2, 0.4).slice(-1)
  assert.ok(after!.lateMs < 2)
})

lookPace.run()
