import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  mostChunksOf,
  mostPromptTokensOf,
  mostTokensOf,
  mostUnitsOf,
} from '../../../src/domain/plausible-tokens.ts'

const Plausible = suite('plausible token counts')

Plausible('a token a byte is possible, and a few that leave no text', () => {
  assert.is(mostTokensOf(''), 256)
  assert.is(mostTokensOf('aé😀'), 7 + 256)
})

Plausible('text of long tokens is possible, and some that an upstream did not count', () => {
  assert.is(mostUnitsOf(0), 65_536)
  assert.is(mostUnitsOf(1_000), 65_536 + 256_000)
})

Plausible('a text may come by the character, and with some empty pieces', () => {
  assert.is(mostChunksOf(0), 65_536)
  assert.is(mostChunksOf(1_000), 65_536 + 16_000)
})

Plausible('a prompt is a token a byte at the most, and what a template puts around it', () => {
  assert.is(mostPromptTokensOf([]), 4_096)
  assert.is(mostPromptTokensOf([{ content: 'aé' }, { content: '' }]), 4_096 + 3 + 2 * 64)
})

Plausible.run()
