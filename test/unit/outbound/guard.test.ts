import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Result } from '../../../src/domain/result.ts'
import { makeGuard } from '../../../src/outbound/guard.ts'

const Guard = suite('outbound: guard')
const URL_OF_HOST = 'https://hooks.example.com/in'

/** A guard whose names lead where each call of `answers` says, one after the other. */
function guardOf(answers: readonly (readonly string[] | Error)[], devTargets = false) {
  const asked: string[] = []
  const guard = makeGuard({
    devTargets,
    resolve: async (host) => {
      const answer = answers[Math.min(asked.push(host), answers.length) - 1]
      if (answer instanceof Error) throw answer
      return answer ?? []
    },
  })
  return { guard, asked }
}
const reason = (result: Result<unknown, string>): string => (result.ok ? '' : result.error)

Guard('a host with public addresses alone is let through, to these addresses', async () => {
  const addresses = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']
  const { guard, asked } = guardOf([addresses])
  assert.ok((await guard.check(URL_OF_HOST)).ok)
  const admitted = await guard.admit(URL_OF_HOST)
  assert.ok(admitted.ok)
  assert.equal(admitted.value.addresses, addresses)
  assert.equal(asked, ['hooks.example.com', 'hooks.example.com'])
})

Guard('one address that is not public among others is enough to refuse', async () => {
  for (const inside of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1']) {
    const { guard } = guardOf([['93.184.216.34', inside]])
    assert.match(reason(await guard.check(URL_OF_HOST)), 'not public')
    const admitted = reason(await guard.admit(URL_OF_HOST))
    assert.match(admitted, 'not public')
    assert.not.match(admitted, inside)
  }
})

Guard('a host that resolves elsewhere after its webhook was made is refused then', async () => {
  const { guard } = guardOf([['93.184.216.34'], ['127.0.0.1']])
  assert.ok((await guard.check(URL_OF_HOST)).ok)
  assert.match(reason(await guard.admit(URL_OF_HOST)), 'not public')
})

Guard('a host that does not resolve is refused', async () => {
  const { guard } = guardOf([[]])
  assert.match(reason(await guard.check(URL_OF_HOST)), 'does not resolve')
  assert.match(reason(await guard.admit(URL_OF_HOST)), 'does not resolve')
})

Guard('a name system that is down stops deliveries, not the making of webhooks', async () => {
  const { guard } = guardOf([new Error('no answer')])
  assert.ok((await guard.check(URL_OF_HOST)).ok)
  assert.match(reason(await guard.admit(URL_OF_HOST)), 'could not be resolved')
})

Guard('an address in the URL is looked at, and nothing is asked', async () => {
  const { guard, asked } = guardOf([['93.184.216.34']])
  assert.ok((await guard.admit('https://8.8.8.8/in')).ok)
  assert.not.ok((await guard.admit('https://[::ffff:10.0.0.1]/in')).ok)
  assert.equal(asked, [])
})

Guard(
  'development: this machine is reached by its names, the rest of the network is not',
  async () => {
    const { guard, asked } = guardOf([['192.168.1.7']], true)
    const admitted = await guard.admit('http://localhost:3000/in')
    assert.ok(admitted.ok)
    assert.equal(admitted.value.addresses, ['127.0.0.1', '::1'])
    assert.equal(asked, [])
    assert.match(reason(await guard.check('http://hooks.example.com/in')), 'not public')
  },
)

Guard('development: a machine without names may make webhooks', async () => {
  const { guard } = guardOf([[]], true)
  assert.ok((await guard.check(URL_OF_HOST)).ok)
  assert.not.ok((await guard.admit(URL_OF_HOST)).ok)
})

Guard.run()
