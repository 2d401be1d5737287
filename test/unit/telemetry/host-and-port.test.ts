import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hostAndPort } from '../../../src/telemetry/host-and-port.ts'

const HostAndPort = suite('host and port')

HostAndPort('with a port or without, with a scheme or without', () => {
  assert.is(hostAndPort('nats://nats-1.internal:4333', 4222), 'nats-1.internal:4333')
  assert.is(hostAndPort('nats://nats-1.internal', 4222), 'nats-1.internal:4222')
  assert.is(hostAndPort('nats-1.internal', 4222), 'nats-1.internal:4222')
  assert.is(hostAndPort('https://node.example/', 443), 'node.example:443')
  assert.is(hostAndPort('http://[::1]:8545', 80), '[::1]:8545')
  assert.is(hostAndPort('http://[::1]', 80), '[::1]:80')
})

HostAndPort('nothing of a secret', () => {
  assert.is(hostAndPort('nats://edge:se@cret@nats:4222', 4222), 'nats:4222')
  assert.is(hostAndPort('https://node.example/v2/se@cret', 443), 'node.example:443')
  assert.is(hostAndPort('https://node.example?key=secret:1', 443), 'node.example:443')
})

HostAndPort.run()
