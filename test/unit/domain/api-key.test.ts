import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newApiKey } from '../../../src/domain/api-key.ts'
import { defaultNames } from '../../fakes/default-names.ts'

const Key = suite('a new API key')

Key('all characters are equally likely', () => {
  const given = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  let at = 0
  const randomBytes = (count: number) => {
    const bytes = Uint8Array.from({ length: count }, (_, i) => given[(at + i) % 256]!)
    at += count
    return bytes
  }
  let text = ''
  // What 256 bytes, each once, give: the eight that are above the last whole round give none.
  while (at < 256) text += newApiKey(defaultNames, { randomBytes }).slice('svc_live_'.length)
  const counts = new Map<string, number>()
  for (const character of text.slice(0, 248)) {
    counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  assert.is(counts.size, 62)
  assert.equal([...new Set(counts.values())], [4])
})

Key('of bytes that give no character more are drawn, and no key is shorter for it', () => {
  let draws = 0
  const randomBytes = (count: number) => new Uint8Array(count).fill(draws++ === 0 ? 255 : 0)
  assert.is(newApiKey(defaultNames, { randomBytes }), `svc_live_${'A'.repeat(32)}`)
})

Key.run()
