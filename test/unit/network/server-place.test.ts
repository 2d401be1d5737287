import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serverPlace } from '../../../src/network/servers/server-place.ts'

const Place = suite('where a named server is dialled')

Place('with and without scheme, user and port', () => {
  assert.equal(serverPlace('nats://u:p@a.example:5222', 4222), { host: 'a.example', port: 5222 })
  assert.equal(serverPlace('rediss://a.example/0', 6379), { host: 'a.example', port: 6379 })
  assert.equal(serverPlace('localhost:5222', 4222), { host: 'localhost', port: 5222 })
  assert.equal(serverPlace('127.0.0.1', 4222), { host: '127.0.0.1', port: 4222 })
})

Place('an IPv6 address, as a socket takes it', () => {
  assert.equal(serverPlace('tls://[::1]:5222', 4222), { host: '::1', port: 5222 })
  assert.equal(serverPlace('redis://u:p@[fd00::7]', 6379), { host: 'fd00::7', port: 6379 })
  assert.equal(serverPlace('[::1]:5222', 4222), { host: '::1', port: 5222 })
})

Place.run()
