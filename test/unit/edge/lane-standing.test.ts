import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  hear,
  hindranceOf,
  type LaneStanding,
  unheard,
} from '../../../src/edge/chat/lane-standing.ts'
import type { HeldUpBy, LaneHealth } from '../../../src/messages/lane.ts'

const PATIENCE = { heldUpMs: 6_000, oldestMs: 10_000, silenceMs: 10_000 }
const well: LaneHealth = { lane: 'lock', heldUp: null, waiting: 0, oldestMs: 0 }
const heldUp = (forMs: number, by: HeldUpBy = 'chain') => ({ ...well, heldUp: { by, forMs } })
const oldest = (oldestMs: number) => ({ ...well, waiting: 1, oldestMs })

/** Hears one message every half second from the time 0 on, then judges at the last one. */
function heardInTurn(...messages: readonly LaneHealth[]) {
  let standing: LaneStanding = unheard(0)
  messages.forEach((message, i) => {
    standing = hear(standing, message, PATIENCE, i * 500)
  })
  return hindranceOf(standing, PATIENCE, (messages.length - 1) * 500)
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

const Standing = suite('standing of a lane')

Standing('well: nothing hinders', () => assert.is(heardInTurn(...times(30, well)), undefined))
Standing('held up for some seconds: nobody is refused yet', () => {
  assert.is(heardInTurn(heldUp(5_900)), undefined)
  assert.is(heardInTurn(heldUp(6_100)), 'chain')
  assert.is(heardInTurn(heldUp(9_000, 'gas_funds')), 'gas_funds')
})
Standing('an outage is one outage, whichever host tells of it', () => {
  const first = [1_000, 3_000, 5_000].map((forMs) => heldUp(forMs))
  assert.is(heardInTurn(...first, heldUp(0)), undefined)
  assert.is(heardInTurn(...first, ...times(3, heldUp(0))), 'chain')
})
Standing('well again: at once', () => {
  assert.is(heardInTurn(heldUp(60_000), well), undefined)
  assert.is(heardInTurn(heldUp(60_000), well, heldUp(0)), undefined)
})
Standing('slow: until it has come down to half', () => {
  assert.is(heardInTurn(oldest(9_900)), undefined)
  assert.is(heardInTurn(oldest(10_100)), 'slow')
  assert.is(heardInTurn(oldest(10_100), oldest(6_000)), 'slow')
  assert.is(heardInTurn(oldest(10_100), oldest(4_900)), undefined)
  assert.is(heardInTurn(oldest(10_100), oldest(4_900), oldest(9_000)), undefined)
})
Standing('silent: only after longer than a lane takes to move', () => {
  const standing = hear(unheard(0), well, PATIENCE, 1_000)
  assert.is(hindranceOf(standing, PATIENCE, 11_000), undefined)
  assert.is(hindranceOf(standing, PATIENCE, 11_500), 'silent')
  assert.is(hindranceOf(unheard(0), PATIENCE, 9_000), undefined, 'an edge that has just started')
  assert.is(hindranceOf(unheard(0), PATIENCE, 10_500), 'silent')
})

Standing.run()
