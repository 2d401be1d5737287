import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  LeftOutModel_Reason as Reason,
  Refusal_Reason,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { addMs } from '../../../src/domain/time.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { LINEUP } from '../../fakes/memory-catalogue.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { MODEL } from '../../fakes/pool/stage.ts'
import { pause, SOON_MS, until } from '../../until.ts'

/** What a worker gets jobs of, as the catalogue and the time have it. */
const Pools = suite('pool: the catalogue')

const NEW = 'new/model'
const OTHER = 'Qwen/Qwen3-14B'
const taken = (terms: { taken: { id: string }[] } | undefined) => terms?.taken.map(({ id }) => id)

Pools(
  'a pool that has heard no catalogue meets nobody yet',
  inHouse(async ({ stage, rogue, serve }) => {
    stage.catalogue.set(undefined)
    const early = await rogue(9)
    assert.is(early.ended?.code, 'UNAVAILABLE')
    assert.match(early.ended?.details ?? '', 'catalogue')
    const served = serve()
    await pause(300)
    assert.is(stage.workers(), 0)
    stage.catalogue.set(LINEUP)
    await served
    await stage.hears((await stage.offer()).jobId, 'CompleteJob')
  }),
)

Pools(
  'a worker is told what it gets jobs of, and why not of the rest',
  inHouse(async ({ stage, rogue }) => {
    const now = systemClock.now()
    const soon = addMs(now, 60_000)
    stage.catalogue.change({ id: MODEL, retiresAt: soon })
    stage.catalogue.change({ id: OTHER, retiresAt: addMs(now, -600_000) })
    const worker = await rogue(9, { models: [MODEL, OTHER, NEW, 'has space', ''] })
    await until('the terms', () => worker.terms !== undefined, SOON_MS)
    assert.equal(worker.terms, {
      taken: [{ id: MODEL, contextWindow: 32_768, retiresAt: soon }],
      leftOut: [
        { id: OTHER, reason: Reason.REASON_RETIRED },
        { id: NEW, reason: Reason.REASON_NOT_LISTED },
      ],
    })
    assert.equal((await stage.offer({ model: OTHER })).reply.type, 'refused')
  }),
)

Pools(
  'only retired or unknown models: turned away, by name',
  inHouse(async ({ stage, rogue }) => {
    stage.catalogue.change({ id: OTHER, retiresAt: addMs(systemClock.now(), -600_000) })
    const { ended } = await rogue(9, { models: [OTHER, NEW] })
    assert.is(ended?.code, 'INVALID_ARGUMENT')
    assert.match(ended?.details ?? '', `${OTHER} is retired, ${NEW} is not listed`)
  }),
)

Pools(
  'a worker may offer more models than are remembered: those that are listed come first',
  inHouse(async ({ stage, rogue }) => {
    const own = Array.from({ length: 300 }, (_, i) => `own/${i}`)
    const worker = await rogue(9, { models: [...own, MODEL] })
    await until('the terms', () => worker.terms !== undefined, SOON_MS)
    assert.equal(taken(worker.terms), [MODEL])
    assert.is(worker.terms?.leftOut.length, 255)
    assert.is((await stage.offer()).reply.type, 'taken')
    const { ended } = await rogue(10, { models: own })
    assert.match(ended?.details ?? '', 'own/4 is not listed, and 295 more)')
    const { ended: nameless } = await rogue(11, { models: ['has space', ''] })
    assert.match(nameless?.details ?? '', '(2 under what can be no id of a model)')
  }),
)

Pools(
  'a model that is listed later reaches a worker that is connected',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9, { models: [MODEL, NEW] })
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.chunk(jobId, 0, 'Hi')
      worker.complete(jobId, 'Hi', 1)
    }
    assert.equal((await stage.offer({ model: NEW })).reply.type, 'refused')
    stage.catalogue.change({ id: NEW, contextWindow: 4_096 })
    await until('the summary to have it', () => stage.workers(NEW) === 1, SOON_MS)
    assert.is(stage.load(NEW)?.contextWindow, 4_096)
    await until('the worker to be told', () => worker.terms?.taken.length === 2, SOON_MS)
    await stage.hears((await stage.offer({ model: NEW })).jobId, 'CompleteJob')

    // A reorg may take the listing back.
    stage.catalogue.set(stage.catalogue.all().filter(({ id }) => id !== NEW))
    await until('the summary to forget it', () => stage.workers(NEW) === 0, SOON_MS)
    assert.is(stage.workers(), 1)
    await until('the worker to be told', () => worker.terms?.taken.length === 1, SOON_MS)
  }),
)

Pools(
  'jobs accepted before a retirement still find a worker, until the last of them must be over',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.chunk(jobId, 0, 'Hi')
      worker.complete(jobId, 'Hi', 1)
    }
    const now = systemClock.now()
    stage.catalogue.change({ id: MODEL, retiresAt: addMs(now, -1_000) })
    await stage.hears((await stage.offer()).jobId, 'CompleteJob')
    // In a second and a half the last job is over: time alone ends it.
    stage.catalogue.change({ id: MODEL, retiresAt: addMs(now, -178_500) })
    await until('the model to end', () => stage.workers() === 0, SOON_MS)
    await until('the worker to be told', () => taken(worker.terms)?.length === 0, SOON_MS)
    assert.is(worker.terms?.leftOut[0]?.reason, Reason.REASON_RETIRED)
    assert.equal((await stage.offer()).reply.type, 'refused')
  }),
)

Pools(
  'what a worker has refused to serve stays away from it, whatever the catalogue does',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9, { models: [MODEL, OTHER] })
    worker.onOffer = ({ jobId }) =>
      worker.say({
        $case: 'refusal',
        value: { jobId, reason: Refusal_Reason.REASON_MODEL_NOT_SERVED },
      })
    await stage.offer()
    await until('the model to be dropped', () => stage.workers() === 0, SOON_MS)
    await until('the worker to be told', () => worker.terms?.leftOut.length === 1, SOON_MS)
    assert.equal(worker.terms?.leftOut, [{ id: MODEL, reason: Reason.REASON_NOT_SERVED }])
    stage.catalogue.change({ id: NEW })
    await pause(50)
    assert.equal([stage.workers(), stage.workers(OTHER)], [0, 1])
  }),
)

Pools(
  'an agent before an upstream serves a model of tomorrow without a newer agent',
  inHouse(async ({ stage, serve, upstream }) => {
    upstream.models = ['qwen3:8b', NEW]
    await serve()
    stage.catalogue.change({ id: NEW })
    await until('the worker to get it', () => stage.workers(NEW) === 1, SOON_MS)
    await stage.hears((await stage.offer({ model: NEW })).jobId, 'CompleteJob')
    assert.is(upstream.requests[0]?.model, NEW)
  }),
)

Pools.run()
