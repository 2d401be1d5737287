import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isLoopback, isPublic } from '../../../src/outbound/special-addresses.ts'
import { parseTarget } from '../../../src/outbound/target.ts'

const Target = suite('outbound: targets')
const STRICT = { devTargets: false }
const DEV = { devTargets: true }
const reasonOf = (url: string, rules = STRICT): string => {
  const target = parseTarget(url, rules)
  return target.ok ? '' : target.error
}

Target('ordinary endpoints pass', () => {
  for (const url of [
    'https://example.com',
    'https://example.com/hooks?token=a%20b#part',
    'https://sub.example.co.uk:443/hooks',
    'https://example.com:8443/hooks',
    'https://example.com:1024/hooks',
    'HTTPS://EXAMPLE.COM/hooks',
    'https://bücher.example.com/hooks',
    'https://8.8.8.8/hooks',
    'https://[2606:4700:4700::1111]/hooks',
  ]) {
    assert.is(reasonOf(url), '', url)
    assert.is(reasonOf(url, DEV), '', url)
  }
  const named = parseTarget('https://bücher.example.com:8443/hooks', STRICT)
  assert.ok(named.ok)
  assert.is(named.value.host, 'xn--bcher-kva.example.com')
})

Target('what is no URL, or says something else than it looks like, is refused', () => {
  for (const url of [
    '',
    'example.com/hooks',
    '//example.com/hooks',
    'https:example.com',
    'https://',
    'https://exa mple.com/',
    ' https://example.com/',
    'https://example.com/\n',
    'https://example.com\\@evil.example.com/',
    'https://example.com/\u0000',
    'ftp://example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://example.com:99999/',
  ]) {
    assert.is.not(reasonOf(url), '', JSON.stringify(url))
    assert.is.not(reasonOf(url, DEV), '', `${JSON.stringify(url)} in development`)
  }
})

Target('says what is wrong', () => {
  assert.match(reasonOf('http://example.com/'), 'must begin with `https://`')
  assert.match(reasonOf('https://user:word@example.com/'), 'user name or password')
  assert.match(reasonOf('https://user@example.com/'), 'user name or password')
  assert.match(reasonOf('https://:word@example.com/'), 'user name or password')
  assert.match(reasonOf('https://example.com:25/'), 'port')
  assert.match(reasonOf('https://example.com:80/'), 'port')
  assert.match(reasonOf('https://example.com:1023/'), 'port')
  assert.match(reasonOf('https://example.com./'), 'dot')
  assert.match(reasonOf('https://localhost/'), 'no public name')
  assert.match(reasonOf('https://10.0.0.1/'), 'not public')
})

Target('names that lead inside are refused', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'app.localhost',
    'localhost.',
    'intranet',
    'printer.local',
    'metadata.google.internal',
    'nobody.invalid',
    'app.test',
  ]) {
    assert.is.not(reasonOf(`https://${host}/`), '', host)
  }
})

Target('no notation hides an address', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:a00:1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[100::1]',
    '[::7f00:1]',
  ]) {
    assert.is.not(reasonOf(`https://${host}/`), '', host)
  }
})

Target('development adds http: and this machine, and nothing else', () => {
  for (const url of [
    'http://127.0.0.1:3000/hook',
    'http://localhost:3000/hook',
    'http://app.localhost/hook',
    'http://[::1]:3000/hook',
    'http://127.1:8080/',
    'http://example.com/hook',
    'https://localhost:8443/hook',
  ]) {
    assert.is(reasonOf(url, DEV), '', url)
    assert.is.not(reasonOf(url), '', url)
  }
  for (const url of [
    'http://10.0.0.1/',
    'http://192.168.1.1:3000/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://0.0.0.0:3000/',
    'http://intranet/',
    'http://printer.local/',
    'http://127.0.0.1:22/',
    'http://user:word@127.0.0.1:3000/',
  ]) {
    assert.is.not(reasonOf(url, DEV), '', url)
  }
})

Target('every special range is not public, from its first address to its last', () => {
  const ranges: readonly (readonly [string, string])[] = [
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['168.63.129.16', '168.63.129.16'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.31.196.0', '192.31.196.255'],
    ['192.52.193.0', '192.52.193.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['192.175.48.0', '192.175.48.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
    ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ]
  for (const [first, last] of ranges) {
    assert.not(isPublic(first), first)
    assert.not(isPublic(last), last)
  }
})

Target('the addresses beside them are public', () => {
  for (const address of [
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ]) {
    assert.ok(isPublic(address), address)
    assert.not(isLoopback(address), address)
  }
})

Target('what is no address is nothing', () => {
  for (const text of ['', 'example.com', 'fe80::1%eth0', '::1%lo', '1.2.3', '1.2.3.4.5']) {
    assert.not(isPublic(text), text)
    assert.not(isLoopback(text), text)
  }
})

Target.run()
