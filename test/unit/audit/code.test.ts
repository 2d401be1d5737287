import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Built, isSameCode } from '../../../src/audit/chain/code.ts'

/** Whether the code on chain is that of a build. */
const Code = suite('audit: deployed code')

// Code of 6 bytes with an immutable in its middle, then a note of 2 bytes and its length.
const built: Built = {
  object: '0x6001000060aa' + 'beef' + '0002',
  immutableReferences: { '42': [{ start: 2, length: 2 }] },
}

Code('the same: whatever value an immutable was given', () => {
  assert.ok(isSameCode(built.object, built))
  assert.ok(isSameCode('0x6001123460aa' + 'beef' + '0002', built))
})

Code('the same: the note of the sources says other comments', () => {
  assert.ok(isSameCode('0x6001123460aa' + 'cafe' + '0002', built))
})

Code('another: one byte differs, before or after an immutable', () => {
  assert.not.ok(isSameCode('0x6002123460aa' + 'beef' + '0002', built))
  assert.not.ok(isSameCode('0x6001123460ab' + 'beef' + '0002', built))
})

Code('another: shorter, longer, or with a longer note that hides code', () => {
  assert.not.ok(isSameCode('0x', built))
  assert.not.ok(isSameCode('0x6001123460aa' + 'beef', built))
  assert.not.ok(isSameCode(`${built.object}00`, built))
  assert.not.ok(isSameCode('0x6001123460aa' + 'beef' + '0003', built))
  assert.not.ok(isSameCode('0x6001123460aa' + 'beef' + 'ffff', built))
})

// As the compiler writes it: CBOR of a hash of the sources, and of its own version.
const note = (hash: string) => `a2646970667358221220${hash.repeat(32)}64736f6c634300081e0033`

Code('the same: other comments also where a contract holds the code of one that it makes', () => {
  const maker = (inner: string, outer: string, code = '6001') =>
    `0x${code}${note(inner)}6002${note(outer)}`
  const wanted: Built = { object: maker('aa', 'bb'), immutableReferences: {} }
  assert.ok(isSameCode(maker('cc', 'dd'), wanted))
  assert.not.ok(isSameCode(maker('cc', 'dd', '6003'), wanted))
  const moved = `0x60${note('cc')}016002${note('dd')}`
  assert.not.ok(isSameCode(moved, wanted))
  assert.not.ok(isSameCode(maker('cc', 'dd').replace('64736f6c', '64736f6d'), wanted))
})

Code.run()
