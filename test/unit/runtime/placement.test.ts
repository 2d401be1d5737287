import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Claim, chooseHost, makeHomes, placementOf } from '../../../src/runtime/placement.ts'

/** Who takes, keeps and gives back what. */
const Placed = suite('placement')
const HOSTS = ['host-a', 'host-b']
const MINE = 'p.1'
const me = chooseHost(MINE, HOSTS)!
const other = HOSTS.find((host) => host !== me)!

const place = (claim: string | undefined, more: { isHeld?: boolean; dead?: string } = {}) =>
  placementOf({
    me,
    home: chooseHost(
      MINE,
      HOSTS.filter((host) => host !== more.dead),
    ),
    claim: claim === undefined ? undefined : ({ host: claim, from: 1 } satisfies Claim),
    isHeld: more.isHeld ?? false,
    isDead: (host) => host === more.dead,
  })

Placed('what is mine and free, or was held by the dead, is taken', () => {
  assert.is(place(undefined), 'take')
  assert.is(place(''), 'take')
  assert.is(place('host-gone', { dead: 'host-gone' }), 'take')
  assert.is(place(other), 'stay', 'its holder lives and will give it back')
})

Placed('what I hold stays, until it belongs to another', () => {
  assert.is(place(me, { isHeld: true }), 'stay')
  const claim = { host: me, from: 1 }
  const about = { me, home: other, claim, isDead: () => false }
  assert.is(placementOf({ ...about, isHeld: true }), 'give_back')
  assert.is(placementOf({ ...about, isHeld: false }), 'give_back', 'or nobody could take it')
})

Placed('where a resource belongs is remembered until other hosts live', () => {
  const names = Array.from({ length: 64 }, (_, i) => `p.${i}`)
  const among = makeHomes()
  const others = [['host-a', 'host-c'], ['host-a'], [], ['host-a', 'host-b', 'host-c']]
  for (const hosts of [HOSTS, HOSTS, ...others, HOSTS]) {
    const homeOf = among([...hosts])
    for (const name of names)
      assert.is(homeOf(name), chooseHost(name, hosts), `${name} of ${hosts}`)
  }
})

Placed('all hosts agree, each gets its share, and with one that goes only its own moves', () => {
  const names = Array.from({ length: 64 }, (_, i) => `p.${i}`)
  const hosts = ['host-a', 'host-b', 'host-c', 'host-d']
  for (const gone of hosts) {
    const left = hosts.filter((host) => host !== gone)
    let moved = 0
    for (const name of names) {
      const home = chooseHost(name, hosts)
      assert.is(chooseHost(name, hosts.toReversed()), home)
      if (home === gone) moved++
      else assert.is(chooseHost(name, left), home)
    }
    assert.ok(moved >= 6 && moved <= 32, `${moved} of ${gone}`)
  }
})

Placed('a claim of mine that I never heard of is acted on', () => {
  assert.is(place(me, { isHeld: false }), 'take')
})

Placed.run()
