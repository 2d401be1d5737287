import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countWordPieces } from '../../../src/worker/word-pieces.ts'

const Pieces = suite('word pieces')

Pieces('words by their length, marks one by one, white space not at all', () => {
  assert.is(countWordPieces('The quick brown fox, and 1 internationalization.'), 12)
  assert.is(countWordPieces('f(a[0], {b: "c"});'), 16)
  assert.is(countWordPieces(' \n\t'), 0)
})

Pieces('a run of one mark is a token for each sixteen', () => {
  assert.is(countWordPieces('-'.repeat(45_000)), Math.ceil(45_000 / 16))
  assert.is(countWordPieces('===='), 1)
  assert.is(countWordPieces('=-=-'), 4)
  assert.is(countWordPieces('--\n--'), 2, 'white space ends a run')
  assert.is(countWordPieces(`|${'-'.repeat(16)}|${'-'.repeat(17)}|`), 6)
})

Pieces.run()
