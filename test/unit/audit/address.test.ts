import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { natsAddress, placeOf, redisAddress } from '../../../src/audit/address.ts'
import { CannotTell } from '../../../src/audit/cannot-tell.ts'

const Address = suite('audit: where servers are')

const refusal = (ask: () => unknown): string => {
  try {
    ask()
  } catch (error) {
    assert.instance(error, CannotTell)
    return (error as Error).message
  }
  return 'none'
}

Address('what is no address of Redis is refused, and its password not repeated', () => {
  for (const text of [
    ...['junk', 'redis//host', 'http://host:6379', '/tmp/redis.sock', '6379', ''],
    ...['redis://host:port', 'redis://u:s3cret%@host', 'redis://u:s3c@ret@host', 'redis://'],
  ]) {
    const said = refusal(() => redisAddress(text))
    assert.match(said, /--redis .* must be redis:\/\/user:password@host:port/, text)
    assert.not.match(said, /s3c/)
  }
  for (const text of ['redis://host', 'rediss://u:p%40ss@host:1', 'redis://[::1]:6379/0']) {
    assert.is(redisAddress(` ${text}\n`), text)
  }
})

Address('servers of NATS, with the user of the first', () => {
  assert.equal(natsAddress('a:1, nats://b'), { servers: ['nats://a:1', 'nats://b'] })
  assert.equal(natsAddress('nats://u%41:p%40s@a:1,tls://b:2'), {
    ...{ servers: ['nats://a:1', 'tls://b:2'], tls: {}, user: 'uA', pass: 'p@s' },
  })
  for (const text of ['nats://u:s3cret%@a', 'nats://u:s3c@ret@a', 'a,,b', 'nats://a:port']) {
    const said = refusal(() => natsAddress(text))
    assert.match(said, /--nats .* must be nats:\/\/user:password@host:port/, text)
    assert.not.match(said, /s3c/)
  }
})

Address('messages name a place, and no password or key', () => {
  assert.is(placeOf('https://user:secret@node.example:8/v3/KEY?k=KEY'), 'node.example:8')
  assert.is(placeOf('redis://auditor:secret@redis:6379'), 'redis:6379')
  assert.is(placeOf('secret'), 'the address that was given')
})

Address.run()
