import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NONCE_BYTES, open, seal } from '../../../src/domain/sealed.ts'

const Sealed = suite('sealed secrets')
const key = (byte: number) => new Uint8Array(32).fill(byte)
const nonce = (byte: number) => new Uint8Array(NONCE_BYTES).fill(byte)
const [OLD, NEW] = [key(1), key(2)]
const SECRET = 'whsec_grüße-9f2c4e6a'

Sealed('open again for what they belong to, and for nothing else', () => {
  const sealed = seal([OLD], 'wh_one', SECRET, nonce(7))
  assert.is(open([OLD], 'wh_one', sealed), SECRET)
  assert.throws(() => open([OLD], 'wh_two', sealed), /wh_two opens with none of the keys/)
})

Sealed('show nothing of the secret', () => {
  const sealed = seal([OLD], 'wh_one', SECRET, nonce(7))
  assert.not.match(sealed, SECRET)
  assert.not.match(Buffer.from(sealed.slice(3), 'base64url').toString('latin1'), 'whsec')
  assert.is.not(sealed, seal([OLD], 'wh_one', SECRET, nonce(8)))
})

Sealed('a new key in front seals, and the old one still opens', () => {
  const before = seal([OLD], 'wh_one', SECRET, nonce(7))
  const after = seal([NEW, OLD], 'wh_one', SECRET, nonce(8))
  assert.is(open([NEW, OLD], 'wh_one', before), SECRET)
  assert.is(open([NEW], 'wh_one', after), SECRET)
  assert.throws(() => open([NEW], 'wh_one', before), /WEBHOOK_SECRET_KEYS/)
})

Sealed('a changed byte anywhere is noticed, and the error tells no secret', () => {
  const sealed = seal([OLD], 'wh_one', SECRET, nonce(7))
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = changed[i]! ^ 1
    const opening = () => open([OLD], 'wh_one', `v1.${changed.toString('base64url')}`)
    assert.throws(opening, (error: Error) => !error.message.includes(SECRET), `byte ${i}`)
  }
  for (const broken of ['', 'v1.', 'v2.AAAA', `v1.${'A'.repeat(20)}`]) {
    assert.throws(() => open([OLD], 'wh_one', broken))
  }
})

Sealed('keys and nonces of another size are a mistake', () => {
  assert.throws(() => seal([], 'wh_one', SECRET, nonce(1)))
  assert.throws(() => seal([new Uint8Array(16)], 'wh_one', SECRET, nonce(1)))
  assert.throws(() => seal([OLD], 'wh_one', SECRET, new Uint8Array(8)))
})

Sealed.run()
