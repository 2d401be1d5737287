import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Address } from '../../../src/domain/ids.ts'
import {
  A,
  B,
  RegistryHouse as House,
  later,
  NOW,
  W1,
  W2,
} from '../../fakes/pool/registry-house.ts'

const Lost = suite('registry: workers lost in the middle of jobs')

const lose = (house: House, address: Address, wallets: readonly Address[], at = NOW) => {
  const said = house.say({ type: 'Lose', address, wallets, at })
  house.leave(address)
  return said
}
/** Whether the last jobs were finished, as it is remembered when the worker is back. */
const outcomesOf = (house: House, address: Address) =>
  house.registry.workers.get(address)?.conduct.outcomes

Lost('each job lowers the share of jobs finished, also when it is back', () => {
  const house = new House()
  house.join(A, 4)
  house.place(1)
  house.free(A, 1)
  assert.equal(lose(house, A, [W1, W2]), ['JobsLost a'])
  house.join(A, 4)
  assert.equal(outcomesOf(house, A), [true, false, false])
})

Lost('equal otherwise: the one that was lost gets fewer jobs', () => {
  const house = new House()
  for (const each of [A, B]) house.join(each)
  lose(house, A, [W1])
  house.join(A)
  for (const first of [0, 1]) {
    house.picks = [first, 0]
    assert.equal(house.place(first), [`JobHeld ${first} b`])
    house.free(B, first)
  }
})

Lost('once, with many jobs, is one failure: it may work at once when it is back', () => {
  const house = new House()
  house.join(A, 4)
  lose(house, A, [W1, W2, W1])
  house.join(A, 4)
  assert.equal(house.place(1), ['JobHeld 1 a'])
})

Lost('again and again: it rests, and longer each time, until an answer is finished', () => {
  const house = new House()
  house.join(A)
  for (const _ of [1, 2, 3]) {
    lose(house, A, [W1, W2])
    house.join(A)
  }
  assert.equal(house.place(1), ['JobQueued'])
  assert.equal(house.say({ type: 'Wake', at: later(499) }), [])
  assert.equal(house.say({ type: 'Wake', at: later(500) }), ['JobUnqueued 1', 'JobHeld 1 a'])
  house.free(A, 1)
  assert.equal(house.place(2), ['JobHeld 2 a'])
})

Lost('without a job under way: nothing is held against it', () => {
  const house = new House()
  house.join(A)
  assert.equal(lose(house, A, []), [])
  house.join(A)
  assert.equal(outcomesOf(house, A), [])
})

Lost('one that drains has said that it leaves', () => {
  const house = new House()
  house.join(A)
  house.say({ type: 'DrainWorker', address: A })
  assert.equal(lose(house, A, [W1]), [])
})

Lost('a pool that shuts down blames nobody', () => {
  const house = new House()
  house.join(A)
  house.say({ type: 'DrainPool' })
  assert.equal(lose(house, A, [W1]), [])
})

Lost.run()
