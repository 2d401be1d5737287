import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Claim, chooseHost, placementOf } from '../../../src/runtime/placement.ts'

/** Who takes, keeps and gives back what. */
const Placed = suite('placement')
const HOSTS = ['host-a', 'host-b']
const MINE = 'p.1'
const me = chooseHost(MINE, HOSTS)!
const other = HOSTS.find((host) => host !== me)!

const place = (claim: string | undefined, more: { isHeld?: boolean; dead?: string } = {}) =>
  placementOf({
    me,
    resource: MINE,
    claim: claim === undefined ? undefined : ({ host: claim, epoch: 1, from: 1 } satisfies Claim),
    isHeld: more.isHeld ?? false,
    candidates: HOSTS.filter((host) => host !== more.dead),
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
  const theirs = Array.from({ length: 64 }, (_, i) => `p.${i}`).find(
    (name) => chooseHost(name, HOSTS) === other,
  )!
  const claim = { host: me, epoch: 1, from: 1 }
  const about = { me, resource: theirs, claim, candidates: HOSTS, isDead: () => false }
  assert.is(placementOf({ ...about, isHeld: true }), 'give_back')
  assert.is(placementOf({ ...about, isHeld: false }), 'give_back', 'or nobody could take it')
})

Placed('a claim of mine that I never heard of is acted on', () => {
  assert.is(place(me, { isHeld: false }), 'take')
})

Placed.run()
