import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type PoolTarget, parsePoolUrl } from '../../../src/worker/dial.ts'
import { PoolRing, poolTargets } from '../../../src/worker/pool-ring.ts'

const Ring = suite('pools of a worker')

const targets = (...names: string[]): PoolTarget[] =>
  names.map((target) => ({ target, tls: false }))
const ringOf = (...rounds: PoolTarget[][]) => {
  let read = 0
  const ring = new PoolRing(async () => rounds[Math.min(read++, rounds.length - 1)]!)
  return { ring, next: async () => (await ring.next()).target }
}

Ring('one after the other, and a wait when all were tried', async () => {
  const { ring, next } = ringOf(targets('a', 'b', 'c'))
  assert.is(await next(), 'a')
  assert.not(ring.triedAll)
  assert.is(await next(), 'b')
  assert.is(await next(), 'c')
  assert.ok(ring.triedAll)
  assert.is(await next(), 'a')
  assert.not(ring.triedAll)
})

Ring('given a pool that was reached and lost, all others are tried before a wait', async () => {
  const { ring, next } = ringOf(targets('a', 'b', 'c'))
  await next()
  await next()
  ring.reached()
  assert.equal([await next(), ring.triedAll], ['c', false])
  assert.equal([await next(), ring.triedAll], ['a', true])
})

Ring('given one pool, each loss is followed by a wait', async () => {
  const { ring, next } = ringOf(targets('a'))
  await next()
  assert.ok(ring.triedAll)
  ring.reached()
  assert.ok(ring.triedAll)
})

Ring('given other pools in the next round, goes on behind the last one', async () => {
  const { next } = ringOf(targets('a', 'b'), targets('c', 'b', 'd'), targets('e'))
  assert.equal([await next(), await next()], ['a', 'b'])
  assert.equal([await next(), await next(), await next()], ['d', 'c', 'b'])
  assert.is(await next(), 'e')
})

const found = (...addresses: string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
const resolve = async (host: string) => {
  if (host === 'many.example') return found('10.0.0.1', '10.0.0.2', '10.0.0.3', '::1')
  if (host === 'six.example') return found('::1', '::2', '10.0.0.1')
  if (host === 'dual.example') return found('::1', '10.0.0.1')
  throw new Error(`no such name: ${host}`)
}
const resolved = (...urls: string[]) => poolTargets(urls.map(parsePoolUrl), resolve)

Ring(
  'a name of several machines stands for all of them; the certificate is the name’s',
  async () => {
    const many = await resolved('https://many.example:8443')
    assert.equal(many.map(({ target }) => target).sort(), [
      '10.0.0.1:8443',
      '10.0.0.2:8443',
      '10.0.0.3:8443',
    ])
    assert.equal(many[0]?.name, { host: 'many.example', authority: 'many.example:8443' })
    assert.ok(many.every(({ tls }) => tls))
    const six = await resolved('http://six.example:1')
    assert.equal(six.map(({ target }) => target).sort(), ['[::1]:1', '[::2]:1'])
  },
)

Ring('other names and addresses are dialled as they are', async () => {
  const urls = ['https://dual.example', 'unknown.example:1', '10.0.0.9:2', 'http://[::9]:3']
  assert.equal(await resolved(...urls), [
    { target: 'dual.example:443', tls: true },
    { target: 'unknown.example:1', tls: false },
    { target: '10.0.0.9:2', tls: false },
    { target: '[::9]:3', tls: false },
  ])
})

Ring.run()
