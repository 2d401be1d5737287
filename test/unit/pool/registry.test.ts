import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, type JobId, toAddress, toJobId } from '../../../src/domain/ids.ts'
import { toUnixMs, type UnixMs } from '../../../src/domain/time.ts'
import { decide, type RegistryCommand } from '../../../src/pool/registry/decide.ts'
import {
  emptyRegistry,
  evolve,
  type Outcome,
  type Registry,
} from '../../../src/pool/registry/state.ts'
import { summarize } from '../../../src/pool/registry/summary.ts'

const A = toAddress(`0x${'aa'.repeat(20)}`)
const B = toAddress(`0x${'bb'.repeat(20)}`)
const NOW = toUnixMs(1_000_000)
const later = (ms: number): UnixMs => toUnixMs(NOW + ms)
const job = (n: number): JobId => toJobId(`job_${String(n).padStart(26, '0')}`)

/** A registry that is told things; what follows comes back as short lines. */
class House {
  readonly registry: Registry = emptyRegistry()
  picks: number[] = []

  say(command: RegistryCommand): string[] {
    const events = decide(this.registry, command, (below) => (this.picks.shift() ?? 0) % below)
    for (const event of events) evolve(this.registry, event)
    return events.map((event) => {
      const jobId = 'jobId' in event ? ` ${Number(event.jobId.slice(4))}` : ''
      const address = 'address' in event ? ` ${event.address.slice(2, 3)}` : ''
      return `${event.type}${jobId}${address}`
    })
  }

  join(address: Address, slots = 1, models: readonly string[] = ['m'], at = NOW): string[] {
    const served = new Map(models.map((model) => [model, 4_096]))
    const profile = { address, workerId: 1, models: served, slots }
    return this.say({ type: 'Join', profile, at })
  }
  place(n: number, exclude: readonly Address[] = [], model = 'm', at = NOW): string[] {
    const placement = { jobId: job(n), model, exclude: new Set(exclude) }
    return this.say({ type: 'Place', placement, at })
  }
  free(address: Address, n: number, outcome: Outcome = 'finished', at = NOW): string[] {
    return this.say({ type: 'Free', address, jobId: job(n), outcome, at })
  }
  leave = (address: Address) => this.say({ type: 'Leave', address, at: NOW })
}

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
  house.say({ type: 'SeeFirstToken', address: A, firstTokenMs: 300 })
  house.say({ type: 'SeeFirstToken', address: B, firstTokenMs: 200 })
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

Queue('a draining worker gets nothing, and what waited for it alone is stranded', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.say({ type: 'DrainWorker', address: A, at: NOW }), [
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
  const dropped = house.say({ type: 'DropModel', address: A, model: 'm', at: NOW })
  assert.equal(dropped, ['ModelDropped a', 'JobUnqueued 2', 'JobStranded 2'])
  assert.equal(house.place(3, [], 'n'), ['JobQueued'])
})

Queue('a draining pool takes nothing', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.place(2)
  assert.equal(house.say({ type: 'DrainPool', at: NOW }), [
    'PoolDrained',
    'JobUnqueued 2',
    'JobStranded 2',
  ])
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
  for (const firstTokenMs of [30, 10])
    house.say({ type: 'SeeFirstToken', address: A, firstTokenMs })
  house.say({ type: 'SeeFirstToken', address: B, firstTokenMs: 20 })
  house.free(A, 1)
  house.free(B, 2, 'failed')
  const { m, n } = summarize(house.registry, 'p').models
  assert.equal(m, {
    workers: 2,
    slots: 2,
    busy: 1,
    queued: 0,
    firstTokenMs: 20,
    completionRate: 0.5,
    contextWindow: 4_096,
  })
  assert.is(n?.workers, 1)
  assert.is(n?.completionRate, 1)
})

Summary('nobody connected: no models', () => {
  assert.equal(summarize(emptyRegistry(), 'p'), { poolId: 'p', draining: false, models: {} })
})

Summary.run()
