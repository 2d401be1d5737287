import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionData } from 'viem'
import { rComputeAbi } from '../../../../src/chain/abi.ts'
import { typedAddress, wrongAddress } from '../../../../src/web/app/parts/wrong-address.ts'

const Typed = suite('addresses that people type')

const ADDRESS = '0xabcdef0123456789abcdef0123456789abcdef01'

Typed('one that a form takes can be sent, however it is written', () => {
  for (const text of [ADDRESS, `0x${ADDRESS.slice(2).toUpperCase()}`]) {
    assert.is(wrongAddress(text), null)
    const to = typedAddress(text)
    assert.is(to, ADDRESS)
    encodeFunctionData({ abi: rComputeAbi, functionName: 'delegate', args: [to!] })
  }
})

Typed('one that a form does not take is none', () => {
  // The last has a wrong checksum.
  for (const text of ['', '0x12', `0x${'0'.repeat(40)}`, ADDRESS.replace('ab', 'aB')]) {
    assert.type(wrongAddress(text), 'string')
    assert.is(typedAddress(text), undefined)
  }
})

Typed.run()
