import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareCode, immutableWords } from '../../../src/chain/deploy/code.ts'

const Code = suite('deployed code against the build')

/** CBOR of a metadata hash and the compiler's version, as solc puts it behind the code. */
const metadata = (hash: string) => `a2646970667358221220${hash.repeat(32)}64736f6c634300081e0033`
const artifact = (runtime: string, starts: readonly (readonly number[])[] = []) => ({
  ...{ abi: [], bytecode: '0x' as const, runtime: `0x${runtime}` as const },
  immutables: starts.map((places) => places.map((start) => ({ start, length: 32 }))),
})
const word = (byte: string) => byte.repeat(32)

Code('is equal byte for byte, however it is written', () => {
  assert.is(compareCode('0x60FF01', artifact('60ff01')), 'equal')
})

Code('one changed byte makes it different', () => {
  assert.is(compareCode('0x60ff02', artifact('60ff01')), 'different')
  assert.is(compareCode('0x60ff0100', artifact('60ff01')), 'different')
  assert.is(compareCode('0x', artifact('60ff01')), 'missing')
})

Code('immutables are not compared, what is around them is', () => {
  const built = artifact(`60${word('00')}61`, [[1]])
  assert.is(compareCode(`0x60${word('ab')}61`, built), 'equal')
  assert.is(compareCode(`0x60${word('ab')}62`, built), 'different')
})

Code('other comments in the sources are told apart from other code, also in the middle', () => {
  const built = artifact(`60${metadata('aa')}61${metadata('bb')}`)
  assert.is(compareCode(`0x60${metadata('cc')}61${metadata('dd')}`, built), 'metadata')
  assert.is(compareCode(`0x60${metadata('aa')}62${metadata('bb')}`, built), 'different')
})

Code('the values of immutables are read, each once', () => {
  const built = artifact(`60${word('00')}61${word('00')}62${word('00')}`, [[1, 34], [67]])
  const code = `0x60${word('ab')}61${word('ab')}62${word('cd')}` as const
  assert.equal(immutableWords(code, built), [`0x${word('ab')}`, `0x${word('cd')}`])
})

Code('an immutable that differs from place to place shows each value', () => {
  const built = artifact(`60${word('00')}61${word('00')}`, [[1, 34]])
  const code = `0x60${word('ab')}61${word('ee')}` as const
  assert.equal(immutableWords(code, built), [`0x${word('ab')}`, `0x${word('ee')}`])
})

Code.run()
