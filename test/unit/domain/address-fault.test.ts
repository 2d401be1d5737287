import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addressFault } from '../../../src/domain/address-fault.ts'

const Fault = suite('what is wrong with an address')

/** The examples of ERC-55. */
const GOOD = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

Fault('a checksum that is right, or none', () => {
  for (const address of GOOD) {
    assert.is(addressFault(address), undefined, address)
    assert.is(addressFault(address.toLowerCase()), undefined)
    assert.is(addressFault(`0x${address.slice(2).toUpperCase()}`), undefined)
  }
})

Fault('one digit or the size of one letter is off', () => {
  const [address] = GOOD.slice(4)
  assert.match(addressFault(address!.replace('1BeAed', '2BeAed')) ?? '', /checksum/)
  assert.match(addressFault(address!.replace('BeAed', 'beAed')) ?? '', /checksum/)
})

Fault('what is no address, or nobody’s', () => {
  for (const text of [
    '',
    '0x12',
    `0x${'1'.repeat(41)}`,
    `${'1'.repeat(40)}`,
    `0X${'1'.repeat(40)}`,
  ]) {
    assert.match(addressFault(text) ?? '', /40 hexadecimal digits/, text)
  }
  assert.match(addressFault(`0x${'0'.repeat(40)}`) ?? '', /zero/)
})

Fault.run()
