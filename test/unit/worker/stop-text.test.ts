import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StopText } from '../../../src/worker/stop-text.ts'

/** The text that is left is what its caller gets, and what the worker signs. */
const Stop = suite('worker: stop sequences')

/** @returns what is sent on of `pieces`, and what each of them gave */
function cut(sequences: readonly string[], pieces: readonly string[]) {
  const stop = new StopText(sequences)
  const sent: string[] = []
  for (const piece of pieces) {
    const { text, stopped } = stop.push(piece)
    sent.push(text)
    if (stopped) return { sent, text: sent.join(''), stopped, rest: stop.end() }
  }
  const rest = stop.end()
  return { sent, text: sent.join('') + rest, stopped: false, rest }
}

Stop('however a text comes, it ends before the first of them', () => {
  const letters = (most: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: most })
  const few = fc.integer({ min: 1, max: 4 }).chain((size) =>
    fc.array(
      letters(size).filter((text) => text.length === size),
      { maxLength: 3 },
    ),
  )
  fc.assert(
    fc.property(few, fc.array(letters(5), { maxLength: 8 }), (sequences, pieces) => {
      const whole = pieces.join('')
      const found = sequences.map((each) => whole.indexOf(each)).filter((at) => at >= 0)
      const wanted = found.length === 0 ? whole : whole.slice(0, Math.min(...found))
      const { text, stopped } = cut(sequences, pieces)
      assert.equal([text, stopped], [wanted, found.length > 0])
    }),
  )
})

Stop('what cannot become one is not held back', () => {
  assert.equal(cut(['END'], ['a', 'E', 'N', 'x', 'b E']).sent, ['a', '', '', 'ENx', 'b '])
  assert.is(cut(['END'], ['b E']).rest, 'E', 'the rest comes with the end')
  assert.equal(cut([], ['a', 'b']).sent, ['a', 'b'])
})

Stop('of the sequence, and of what follows it, nothing is left', () => {
  const { text, rest, stopped } = cut(['END'], ['so E', 'ND of E'])
  assert.equal([text, rest, stopped], ['so ', '', true])
})

Stop.run()
