import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countPromptTokens } from '../../../src/worker/word-pieces.ts'

const Pieces = suite('word pieces')

/** Of a prompt, without what each message takes. */
const countPieces = (content: string): number => tokensOf(content) - tokensOf('')
const tokensOf = (content: string) => countPromptTokens([{ role: 'user', content }])

Pieces('words by their length, marks one by one, white space not at all', () => {
  assert.is(countPieces('The quick brown fox, and 1 internationalization.'), 12)
  assert.is(countPieces('f(a[0], {b: "c"});'), 16)
  assert.is(countPieces(' \n\t'), 0)
})

Pieces('a run of one mark is a token for each sixteen', () => {
  assert.is(countPieces('-'.repeat(45_000)), Math.ceil(45_000 / 16))
  assert.is(countPieces('===='), 1)
  assert.is(countPieces('=-=-'), 4)
  assert.is(countPieces('--\n--'), 2, 'white space ends a run')
  assert.is(countPieces(`|${'-'.repeat(16)}|${'-'.repeat(17)}|`), 6)
})

Pieces.run()
