import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mostTokensOf, mostUnitsOf } from '../../../src/domain/plausible-tokens.ts'

const Plausible = suite('plausible token counts')

Plausible('a token a byte is possible, and a few that leave no text', () => {
  assert.is(mostTokensOf(''), 256)
  assert.is(mostTokensOf('aé😀'), 7 + 256)
})

Plausible('text of long tokens is possible, and some that an upstream did not count', () => {
  assert.is(mostUnitsOf(0), 65_536)
  assert.is(mostUnitsOf(1_000), 65_536 + 256_000)
})

Plausible.run()
