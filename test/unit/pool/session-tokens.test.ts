import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SessionTokens, TOKEN_BYTES } from '../../../src/pool/session/session-tokens.ts'

const Tokens = suite('pool: session tokens')

/** Tokens of ones, of twos, and so on. */
function made(): SessionTokens {
  let n = 0
  return new SessionTokens({ randomBytes: (count) => new Uint8Array(count).fill(++n) })
}
const of = (n: number) => Buffer.alloc(TOKEN_BYTES, n)

Tokens('before the first Welcome none is good, not even an empty one', () => {
  const tokens = made()
  assert.not(tokens.match(Buffer.alloc(0)))
  assert.not(tokens.match(of(0)))
})

Tokens('the one of the newest Welcome is good; another, a longer and a shorter are not', () => {
  const tokens = made()
  assert.equal(tokens.renew(), of(1))
  assert.ok(tokens.match(of(1)))
  for (const wrong of [of(2), Buffer.alloc(0), of(1).subarray(1), Buffer.alloc(TOKEN_BYTES + 1, 1)])
    assert.not(tokens.match(wrong))
})

Tokens('the one before stays good until the newest has arrived', () => {
  const tokens = made()
  tokens.renew()
  tokens.renew()
  assert.ok(tokens.match(of(1)) && tokens.match(of(2)))
  tokens.arrived()
  assert.not(tokens.match(of(1)))
  assert.ok(tokens.match(of(2)))
})

Tokens('however many Welcomes are lost, the last that arrived is good', () => {
  const tokens = made()
  tokens.renew()
  tokens.arrived()
  for (let lost = 0; lost < 3; lost++) tokens.renew()
  assert.ok(tokens.match(of(1)))
  assert.not(tokens.match(of(2)), 'nobody can have got it')
  assert.ok(tokens.match(of(4)))
})

Tokens.run()
