import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { summarize } from '../../../src/pool/registry/summary.ts'
import { A, B, RegistryHouse as House, NOW } from '../../fakes/pool/registry-house.ts'

const Suspended = suite('registry: workers whose stream broke')

const suspend = (house: House) => house.say({ type: 'Suspend', address: A })
const resume = (house: House) => house.say({ type: 'Resume', address: A, at: NOW })

/** A has two slots and runs job 1. */
function given(): House {
  const house = new House()
  house.join(A, 2)
  house.place(1)
  return house
}

Suspended('given one, a job goes to another', () => {
  const house = given()
  house.join(B)
  assert.equal(suspend(house), ['WorkerSuspended a'])
  assert.equal(house.place(2), ['JobHeld 2 b'])
})

Suspended('given it alone, a job waits, and has its slot when it is back', () => {
  const house = given()
  suspend(house)
  assert.equal(house.place(2), ['JobQueued'])
  assert.equal(house.say({ type: 'Wake', at: NOW }), [])
  assert.equal(resume(house), ['WorkerResumed a', 'JobUnqueued 2', 'JobHeld 2 a'])
})

Suspended('a slot that gets free there is given to nobody', () => {
  const house = given()
  house.place(2)
  house.place(3)
  suspend(house)
  assert.equal(house.free(A, 1, 'neutral'), ['SlotFreed 1 a'])
  assert.equal(resume(house), ['WorkerResumed a', 'JobUnqueued 3', 'JobHeld 3 a'])
})

Suspended('it does not come back: what waited for it alone is stranded', () => {
  const house = given()
  suspend(house)
  house.place(2)
  assert.equal(house.leave(A), ['WorkerLeft a', 'JobUnqueued 2', 'JobStranded 2'])
})

Suspended('a new session in its place gets jobs', () => {
  const house = given()
  suspend(house)
  house.join(A, 2)
  assert.equal(house.place(2), ['JobHeld 2 a'])
})

Suspended('said twice, it is said once; back without having been away, nothing is', () => {
  const house = given()
  assert.equal(resume(house), [])
  suspend(house)
  assert.equal(suspend(house), [])
})

Suspended('to others it is there, with all its slots busy', () => {
  const house = given()
  const load = () => summarize(house.registry, 'p').models.m
  suspend(house)
  assert.equal([load()?.workers, load()?.slots, load()?.busy], [1, 2, 2])
  resume(house)
  assert.is(load()?.busy, 1)
})

Suspended.run()
