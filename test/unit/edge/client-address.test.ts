import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientAddress } from '../../../src/api/http/client-address.ts'
import { trustedProxies } from '../../../src/config/read.ts'

const Address = suite('client address')
const counted: readonly [claimed: string, as: string][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:51234', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::77', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['1::2:203.0.113.9', '1:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['::1:2:3:4:5:6:7', '0:1:2:3::/64'],
  ['1::2:3:4:5:203.0.113.9', '1:0:2:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
]
for (const [claimed, as] of counted) {
  Address(`${claimed} counts as ${as}`, () => {
    assert.is(clientAddress(claimed, '192.0.2.1'), as)
  })
}
Address('what is no address counts as who is connected', () => {
  for (const claimed of ['unknown', '', 'x'.repeat(10_000), '1.2.3', '1.2.3.4.5', '_hidden']) {
    assert.is(clientAddress(claimed, '::ffff:192.0.2.1'), '192.0.2.1')
  }
  assert.is(clientAddress('nonsense', undefined), 'unknown')
})
Address.run()

const Proxies = suite('EDGE_TRUST_PROXY')
Proxies('true, false, hops, addresses and networks', () => {
  const read = (text: string) => trustedProxies().parse(text)
  assert.is(read('true'), true)
  assert.is(read('false'), false)
  assert.is(trustedProxies().parse(undefined), false)
  assert.is(read('2'), 2)
  assert.is(read('0'), false)
  for (const text of ['10.0.0.1', '10.0.0.0/8, 2001:db8::/32', 'loopback']) {
    assert.is(read(text), text)
  }
})
Proxies('anything else is refused at start', () => {
  for (const text of [
    'yes',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '10.0.0',
    'a,b',
    '10.0.0.1/8/8',
    '1000',
  ]) {
    assert.not(trustedProxies().safeParse(text).success, text)
  }
})
Proxies.run()
