import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LeftOutModel_Reason as Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { type JobId, toAddress, toJobId } from '../../../src/domain/ids.ts'
import { lastJobsEndAt } from '../../../src/domain/models.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import { ModelTerms, sortModels, whyLeftOut } from '../../../src/pool/model-terms.ts'
import type { Placements } from '../../../src/pool/placement/placement.ts'
import { decide, type RegistryCommand } from '../../../src/pool/registry/decide.ts'
import { evolve } from '../../../src/pool/registry/evolve.ts'
import { emptyRegistry } from '../../../src/pool/registry/state.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { LINEUP, MemoryCatalogue } from '../../fakes/memory-catalogue.ts'

const NOW = toUnixMs(Date.UTC(2026, 6, 1))
const { id: MODEL, contextWindow: WINDOW } = LINEUP[0]!

const Terms = suite('model terms')

const sorted = (offered: Record<string, number>, catalogue: MemoryCatalogue, at = NOW) =>
  sortModels(new Map(Object.entries(offered)), catalogue, at)

Terms('a listed model is taken, with the smaller of both contexts', () => {
  const windowOf = (offered: number) =>
    sorted({ [MODEL]: offered }, new MemoryCatalogue()).taken[0]?.contextWindow
  assert.is(windowOf(0), WINDOW, 'as the catalogue says')
  assert.is(windowOf(4_096), 4_096)
  assert.is(windowOf(WINDOW + 1), WINDOW)
})

Terms('a retiring model is taken until its last jobs must be over', () => {
  const catalogue = new MemoryCatalogue()
  catalogue.change({ id: MODEL, retiresAt: NOW })
  const endAt = lastJobsEndAt(catalogue.find(MODEL)!)!
  const last = sorted({ [MODEL]: 0 }, catalogue, addMs(endAt, -1))
  assert.equal(last.taken, [{ id: MODEL, contextWindow: WINDOW, retiresAt: NOW }])
  const over = sorted({ [MODEL]: 0 }, catalogue, endAt)
  assert.equal(over, { taken: [], leftOut: [{ id: MODEL, reason: Reason.REASON_RETIRED }] })
})

Terms('what is left out is named, but not without end', () => {
  const offered = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`own/${i}`, 0]))
  const { leftOut } = sorted(offered, new MemoryCatalogue())
  assert.is(leftOut.length, 40)
  assert.match(whyLeftOut(leftOut), 'own/0 is not listed')
  assert.match(whyLeftOut(leftOut), 'and 35 more')
  assert.is(whyLeftOut([]), 'none at all')
})

Terms('a clock that was days ahead and is set right ends no model before its time', () => {
  const catalogue = new MemoryCatalogue()
  catalogue.change({ id: MODEL, retiresAt: NOW })
  const clock = new ManualClock()
  clock.jump(addMs(NOW, -1_000) - clock.now())
  const taken = new Set<string>()
  const session = {
    profile: { offered: new Map([[MODEL, 0]]) },
    notServed: new Set(),
    send: () => {},
  }
  const placements = {
    all: () => [session],
    takeModel: (_: Session, id: string) => taken.add(id),
    dropModel: (_: Session, id: string) => taken.delete(id),
  } as unknown as Placements
  const terms = new ModelTerms({ catalogue, placements, canaries: undefined, clock })
  const serves = (byMs: number) => {
    clock.jump(byMs)
    terms.tick(clock.now())
    return taken.has(MODEL)
  }
  const day = 24 * 3_600_000
  assert.equal([serves(0), serves(3 * day), serves(-3 * day)], [true, false, true])
  assert.equal([serves(500), serves(3 * day)], [true, false])
})

Terms.run()

const Registry = suite('registry: models that come while a worker is connected')

const A = toAddress(`0x${'aa'.repeat(20)}`)
const JOB: JobId = toJobId(`job_${'1'.padStart(26, '0')}`)

function house() {
  const registry = emptyRegistry()
  const say = (command: RegistryCommand) => {
    const events = decide(registry, command, () => 0)
    for (const event of events) evolve(registry, event)
    return events.map(({ type }) => type)
  }
  const models = new Map([['m', 10]])
  say({ type: 'Join', profile: { address: A, workerId: 1, models, slots: 1 }, at: NOW })
  const take = (model: string, contextWindow: number) =>
    say({ type: 'TakeModel', address: A, model, contextWindow, at: NOW })
  const place = (model: string) =>
    say({
      type: 'Place',
      placement: { jobId: JOB, wallet: A, model, exclude: new Set() },
      mayWait: true,
      at: NOW,
    })
  return { registry, say, take, place }
}

Registry('a model is taken once, and gets jobs from then on', () => {
  const { take, place } = house()
  assert.equal(place('n'), [])
  assert.equal(take('n', 20), ['ModelTaken'])
  assert.equal(take('n', 20), [], 'nothing new')
  assert.equal(place('n'), ['JobHeld'])
})

Registry('a job that waits for a model is taken with it', () => {
  const { registry, say, take } = house()
  const B = toAddress(`0x${'bb'.repeat(20)}`)
  const busy = { address: B, workerId: 2, models: new Map([['n', 10]]), slots: 0 }
  say({ type: 'Join', profile: busy, at: NOW })
  const placement = { jobId: JOB, wallet: A, model: 'n', exclude: new Set<typeof A>() }
  assert.equal(say({ type: 'Place', placement, mayWait: true, at: NOW }), ['JobQueued'])
  assert.equal(take('n', 10), ['ModelTaken', 'JobUnqueued', 'JobHeld'])
  assert.ok(registry.workers.get(A)?.jobs.has(JOB))
})

Registry('a worker that has left takes nothing', () => {
  const { say, take } = house()
  say({ type: 'Leave', address: A })
  assert.equal(take('n', 20), [])
})

Registry.run()
