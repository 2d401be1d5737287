import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Standing_State } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { Demand } from '../../../src/pool/placement/demand.ts'
import { evolve } from '../../../src/pool/registry/evolve.ts'
import { emptyRegistry, type Registry } from '../../../src/pool/registry/state.ts'
import { boards, standingOf } from '../../../src/pool/standing/standing.ts'

const Standings = suite('standing')

const MODEL = 'Qwen/Qwen3-8B'
const AT = toUnixMs(1_000_000)
const worker = (n: number) => toAddress(`0x${String(n).padStart(40, '0')}`)
const job = (n: number) => makeJobId(AT, Buffer.alloc(16, n))

const registryOf = (workers: number): Registry => {
  const registry = emptyRegistry()
  for (let n = 1; n <= workers; n++) {
    const profile = { address: worker(n), workerId: n, models: new Map([[MODEL, 0]]), slots: 4 }
    evolve(registry, { type: 'WorkerJoined', profile })
  }
  return registry
}
const sees = (registry: Registry, n: number, firstTokenMs: number) =>
  evolve(registry, { type: 'FirstTokenSeen', address: worker(n), model: MODEL, firstTokenMs })
const ends = (
  registry: Registry,
  n: number,
  outcome: 'finished' | 'failed' | 'busy' | 'declined' | 'neutral',
  wallet = worker(101),
) => {
  const end = { outcome, wallet, why: 'its engine failed', at: AT }
  evolve(registry, { type: 'JobHeld', jobId: job(n), address: worker(n) })
  evolve(registry, { type: 'SlotFreed', jobId: job(n), address: worker(n), end })
}
const standing = (registry: Registry, n: number, perMinute = 0) =>
  standingOf(
    registry,
    boards(registry, () => perMinute),
    worker(n),
    AT,
  )!

Standings('a newcomer is ready, and nothing is known of it', () => {
  const { state, completionRate, models } = standing(registryOf(2), 1, 12)
  assert.is(state, Standing_State.STATE_READY)
  assert.is(completionRate, undefined)
  assert.equal(models, [
    {
      id: MODEL,
      workers: 2,
      slots: 8,
      busy: 0,
      queued: 0,
      jobsPerMinute: 12,
      firstTokenMs: undefined,
      rank: 0,
      ranked: 0,
    },
  ])
})

Standings('the rank is by the median of the first tokens, and equals share one', () => {
  const registry = registryOf(4)
  for (const [n, ms] of [100, 300, 100].entries()) sees(registry, n + 1, ms)
  const ranks = [1, 2, 3, 4].map((n) => standing(registry, n).models[0]!.rank)
  assert.equal(ranks, [1, 3, 1, 0])
  assert.is(standing(registry, 2).models[0]!.ranked, 3)
})

Standings('every end of a job is counted, and a good refusal is no failure', () => {
  const registry = registryOf(1)
  for (const outcome of [
    'finished',
    'finished',
    'failed',
    'busy',
    'declined',
    'neutral',
  ] as const) {
    ends(registry, 1, outcome)
  }
  const { jobsOffered, jobsFinished, jobsFailed, jobsRefused, completionRate } = standing(
    registry,
    1,
  )
  assert.equal([jobsOffered, jobsFinished, jobsFailed, jobsRefused], [6, 2, 1, 2])
  assert.is(completionRate, 2 / 3)
})

Standings('one that is set aside is told until when and why', () => {
  const registry = registryOf(1)
  for (let i = 0; i < 3; i++) ends(registry, 1, 'failed', worker(101 + i))
  const { state, restingUntil, reason } = standing(registry, 1)
  assert.is(state, Standing_State.STATE_RESTING)
  assert.ok(restingUntil > AT)
  assert.is(reason, 'its last 3 jobs failed, the last because its engine failed')
})

Standings('one that is kept from one caller is ready for the others, and is told', () => {
  const registry = registryOf(1)
  for (let i = 0; i < 3; i++) ends(registry, 1, 'failed')
  const { state, reason } = standing(registry, 1)
  assert.is(state, Standing_State.STATE_READY)
  assert.is(reason, "one caller's last 3 jobs failed here, the last because its engine failed")
})

Standings('one that is gone has no standing', () => {
  assert.is(standingOf(registryOf(1), new Map(), worker(9), AT), undefined)
})

const Demands = suite('demand')

Demands('counts the jobs of the last minute by model', () => {
  const demand = new Demand()
  for (const second of [0, 10, 30, 59]) demand.note(MODEL, toUnixMs(1_000_000_000 + second * 1_000))
  demand.note('a/b', toUnixMs(1_000_000_000))
  assert.is(demand.lastMinute(MODEL, toUnixMs(1_000_059_000)), 4)
  assert.is(demand.lastMinute(MODEL, toUnixMs(1_000_085_000)), 2)
  assert.is(demand.lastMinute(MODEL, toUnixMs(1_000_300_000)), 0)
  assert.is(demand.lastMinute('c/d', toUnixMs(1_000_000_000)), 0)
})

Standings.run()
Demands.run()
