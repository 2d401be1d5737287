import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { median } from '../../../src/domain/median.ts'
import { emptyRegistry } from '../../../src/pool/registry/state.ts'
import { summarize } from '../../../src/pool/registry/summary.ts'
import {
  A,
  B,
  RegistryHouse as House,
  job,
  later,
  NOW,
  W1,
} from '../../fakes/pool/registry-house.ts'

const Choice = suite('registry: choice')

Choice('nobody serves the model: nothing is said', () => {
  const house = new House()
  house.join(A, 1, ['other'])
  assert.equal(house.place(1), [])
})

Choice('the less loaded of two gets the job', () => {
  const house = new House()
  house.join(A, 4)
  house.join(B, 2)
  house.picks = [0, 0]
  assert.equal(house.place(1), ['JobHeld 1 a'])
  house.picks = [0, 0]
  assert.equal(house.place(2), ['JobHeld 2 b'])
  house.picks = [0, 0]
  assert.equal(house.place(3), ['JobHeld 3 a'], '1 of 4 is less than 1 of 2')
})

Choice('equal load: the faster to its first token gets the job', () => {
  const house = new House()
  house.join(A)
  house.join(B)
  house.see(A, 300)
  house.see(B, 200)
  for (const first of [0, 1]) {
    house.picks = [first, 0]
    assert.equal(house.place(first), [`JobHeld ${first} b`])
    house.free(B, first)
  }
})

Choice('an excluded worker is not chosen, and alone it is nobody', () => {
  const house = new House()
  house.join(A)
  assert.equal(house.place(1, [A]), [])
  house.join(B)
  assert.equal(house.place(1, [A]), ['JobHeld 1 b'])
  assert.equal(house.place(2, [B]), ['JobHeld 2 a'])
})

Choice('a worker that still winds down a job does not get a later attempt of it', () => {
  const house = new House()
  house.join(A, 4)
  house.place(1)
  assert.equal(house.place(1), [])
})

Choice('one that fails again and again rests, and jobs wait for it', () => {
  const house = new House()
  house.join(A)
  for (const n of [1, 2]) {
    assert.equal(house.place(n), [`JobHeld ${n} a`])
    house.free(A, n, 'failed')
  }
  assert.equal(house.place(3), ['JobQueued'])
  assert.equal(house.say({ type: 'Wake', at: later(200) }), [])
  assert.equal(house.say({ type: 'Wake', at: later(250) }), ['JobUnqueued 3', 'JobHeld 3 a'])
})

Choice.run()

const Queue = suite('registry: queue')

Queue('all busy: first come, first served', () => {
  const house = new House()
  house.join(A, 2)
  house.place(1)
  house.place(2)
  assert.equal(house.place(3), ['JobQueued'])
  assert.equal(house.place(4), ['JobQueued'])
  assert.equal(house.free(A, 2), ['SlotFreed 2 a', 'JobUnqueued 3', 'JobHeld 3 a'])
  assert.equal(house.free(A, 1), ['SlotFreed 1 a', 'JobUnqueued 4', 'JobHeld 4 a'])
  assert.equal(house.free(A, 3), ['SlotFreed 3 a'])
  assert.equal(house.free(A, 3), [], 'a slot is freed once')
})

Queue('a free slot takes what has waited longest over all models of the worker', () => {
  const house = new House()
  house.join(A, 1, ['m', 'n'])
  house.place(1)
  house.place(2, [], 'n')
  house.place(3, [], 'm')
  assert.equal(house.free(A, 1), ['SlotFreed 1 a', 'JobUnqueued 2', 'JobHeld 2 a'])
})

Queue('a newcomer fills its slots from the queue, but not with jobs that exclude it', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2, [B])
  house.place(3)
  house.place(4)
  house.place(5)
  assert.equal(house.join(B, 2), [
    'WorkerJoined',
    'JobUnqueued 3',
    'JobHeld 3 b',
    'JobUnqueued 4',
    'JobHeld 4 b',
  ])
})

Queue('withdrawn: gone from the queue', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.say({ type: 'Withdraw', jobId: job(2), model: 'm' }), ['JobUnqueued 2'])
  assert.equal(house.say({ type: 'Withdraw', jobId: job(2), model: 'm' }), [])
  assert.equal(house.free(A, 1), ['SlotFreed 1 a'])
})

Queue('the last worker leaves: what waits is stranded', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.leave(A), ['WorkerLeft a', 'JobUnqueued 2', 'JobStranded 2'])
})

Queue('another worker is left: only what excludes it is stranded', () => {
  const house = new House()
  house.join(A)
  house.join(B)
  house.place(1)
  house.place(2)
  house.place(3, [B])
  house.place(4)
  assert.equal(house.leave(A), ['WorkerLeft a', 'JobUnqueued 3', 'JobStranded 3'])
})

Queue('the same worker connects anew: what waits goes on waiting, or to it', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.join(A), ['WorkerLeft a', 'WorkerJoined', 'JobUnqueued 2', 'JobHeld 2 a'])
})

Queue('connected anew without the model: what waits for it is stranded', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.join(A, 1, ['n']), [
    'WorkerLeft a',
    'JobUnqueued 2',
    'JobStranded 2',
    'WorkerJoined',
  ])
})

/** Its one slot is taken, and job 2, for which 2 048 tokens were too few, waits for it. */
function waitingForContext(): House {
  const house = new House()
  house.join(A)
  house.place(1)
  const placement = { jobId: job(2), wallet: W1, model: 'm', exclude: new Set<Address>() }
  const place = { placement: { ...placement, contextAbove: 2_048 }, mayWait: true, at: NOW }
  assert.equal(house.say({ type: 'Place', ...place }), ['JobQueued'])
  return house
}

Queue('connected anew with less context: what waits for more is stranded', () => {
  const profile = { address: A, workerId: 1, models: new Map([['m', 2_048]]), slots: 1 }
  assert.equal(waitingForContext().say({ type: 'Join', profile, at: NOW }), [
    'WorkerLeft a',
    'JobUnqueued 2',
    'JobStranded 2',
    'WorkerJoined',
  ])
})

Queue('a model with less context than before: what waits for more is stranded', () => {
  const take = (contextWindow: number) =>
    waitingForContext().say({ type: 'TakeModel', address: A, model: 'm', contextWindow, at: NOW })
  assert.equal(take(2_048), ['ModelTaken a', 'JobUnqueued 2', 'JobStranded 2'])
  assert.equal(take(2_049), ['ModelTaken a'])
})

Queue('a draining worker gets nothing, and what waited for it alone is stranded', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.say({ type: 'DrainWorker', address: A }), [
    'WorkerDrained a',
    'JobUnqueued 2',
    'JobStranded 2',
  ])
  assert.equal(house.place(3), [])
})

Queue('a model that turns out not to be served is dropped', () => {
  const house = new House()
  house.join(A, 1, ['m', 'n'])
  house.place(1)
  house.place(2)
  const dropped = house.say({ type: 'DropModel', address: A, model: 'm' })
  assert.equal(dropped, ['ModelDropped a', 'JobUnqueued 2', 'JobStranded 2'])
  assert.equal(house.place(3, [], 'n'), ['JobQueued'])
})

Queue('a draining pool takes nothing', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.say({ type: 'DrainPool' }), ['PoolDrained', 'JobUnqueued 2', 'JobStranded 2'])
  assert.equal(house.place(3), [])
  assert.ok(summarize(house.registry, 'p').draining)
})

Queue.run()

const Summary = suite('registry: summary')

Summary('tells workers, slots, queue, speed and share of finished jobs by model', () => {
  const house = new House()
  house.join(A, 1, ['m', 'n'])
  house.join(B, 1, ['m'])
  for (const n of [1, 2, 3]) house.place(n)
  for (const firstTokenMs of [30, 10, 60]) house.see(A, firstTokenMs)
  house.see(B, 20)
  house.free(A, 1)
  house.free(B, 2, 'failed')
  const { m, n } = summarize(house.registry, 'p').models
  assert.equal(m, {
    workers: 2,
    slots: 2,
    busy: 1,
    queued: 0,
    firstTokenMs: 25,
    firstTokensMs: [20, 30],
    measured: 2,
    completionRate: 0.5,
    contextWindow: 4_096,
  })
  assert.is(n?.workers, 1)
  assert.is(n?.completionRate, 1)
  assert.equal([n?.firstTokenMs, n?.firstTokensMs, n?.measured], [null, [], 0])
})

Summary('speed is of the model: a small one on the same worker says nothing of a large one', () => {
  const house = new House()
  house.join(A, 1, ['small', 'large'])
  house.see(A, 10, 'small')
  house.see(A, 900, 'large')
  const { small, large } = summarize(house.registry, 'p').models
  assert.equal([small?.firstTokenMs, large?.firstTokenMs], [10, 900])
  house.say({ type: 'DropModel', address: A, model: 'large' })
  assert.equal(house.see(A, 1, 'large'), [], 'late, of a model that is gone')
})

Summary('of many workers an even sample goes out, with how many it stands for', () => {
  const house = new House()
  for (let n = 0; n < 1_000; n++) {
    const address = toAddress(`0x${String(n).padStart(40, '0')}`)
    house.join(address)
    house.see(address, n)
  }
  const { m } = summarize(house.registry, 'p').models
  assert.is(m?.firstTokensMs.length, 64)
  assert.equal([m?.measured, m?.firstTokenMs], [1_000, 499.5])
  assert.ok(Math.abs((median(m?.firstTokensMs ?? []) ?? 0) - 499.5) < 10)
})

Summary('nobody connected: no models', () => {
  assert.equal(summarize(emptyRegistry(), 'p'), { poolId: 'p', draining: false, models: {} })
})

Summary.run()
