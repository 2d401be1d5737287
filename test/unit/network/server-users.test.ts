import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { natsAddress } from '../../../src/bus/connection/address.ts'
import { namedNatsUrl } from '../../../src/network/servers/server-users.ts'

const Users = suite('the user of a role at servers that the operator named')

const env = { SVC_NATS_EDGE_PASSWORD: 'p1' }

const NAMED = ['nats://a:4222', 'tls://a,b', 'a:4222', '127.0.0.1', '[::1]:4222, b']
const WITH_A_USER = ['nats://all:p%40@a:4222,nats://b', 'all:p@a', 'tls://all@a']
for (const servers of [...NAMED, ...WITH_A_USER]) {
  Users(`signs in where they are ${servers}`, () => {
    const { user, pass, servers: dialled } = natsAddress(namedNatsUrl(servers, env, 'edge'))
    assert.equal({ user, pass }, { user: 'edge', pass: 'p1' })
    assert.equal(dialled, natsAddress(servers).servers)
  })
}

Users('is the one of the address where the environment has no password of the role', () => {
  assert.is(namedNatsUrl('nats://all:p@a', env, 'web'), 'nats://all:p@a')
})

Users.run()
