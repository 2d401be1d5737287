import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { natsAddress } from '../../../src/bus/connection/address.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'

const Address = suite('NATS_URL')

Address('servers without their user, who is told once for all of them', () => {
  const { servers, user, pass } = natsAddress('nats://edge:p-1@a:4222, nats://b:4222,c')
  assert.equal(servers, ['nats://a:4222', 'nats://b:4222', 'c'])
  assert.equal([user, pass], ['edge', 'p-1'])
})

Address('a password may hold anything, percent-encoded', () => {
  const odd = '@:/#?% ,&='
  const { servers, user, pass } = natsAddress(`nats://edge:${encodeURIComponent(odd)}@a:4222`)
  assert.equal([servers, user, pass], [['nats://a:4222'], 'edge', odd])
})

Address('one tls:// is for all of them', () => {
  assert.equal(natsAddress('nats://edge:p-1@a:4222,tls://b:4222').tls, {})
  assert.is(natsAddress('nats://a:4222,b:4222').tls, undefined)
})

for (const wrong of [
  ...[' ', ',', 'nats://', 'nats://edge:secret@', 'nats://a:4222,'],
  ...['nats://edge:sec@ret@a:4222', 'nats://edge:sec%ret@a:4222', 'nats://edge:secret@a:port'],
  ...['http://edge:secret@a:4222', 'nats://edge:sec ret@a b:4222'],
]) {
  Address(
    `${JSON.stringify(wrong)} is the operator\u2019s to put right, and is not repeated`,
    () => {
      try {
        natsAddress(wrong)
      } catch (error) {
        assert.instance(error, OperatorError)
        assert.match((error as Error).message, /^NATS_URL must be nats:\/\/user:password@host:port/)
        return assert.not.match((error as Error).message, /sec|ret/)
      }
      assert.unreachable('it is taken')
    },
  )
}

Address.run()
