import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../../src/domain/hash.ts'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { type Answer, stream } from '../../fakes/pool/upstream.ts'
import { SOON_MS, until } from '../../until.ts'

const Stops = suite('pool and worker: stops')
const slowly: Answer = (_request, response) =>
  stream(response, Array(500).fill('word '), { everyMs: 10 })

Stops(
  'stop with settle: what was generated is proven',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve(slowly)
    const { jobId } = await stage.offer()
    await until('some text', () => stage.textOf(jobId).length > 20, SOON_MS)
    await stage.stop(jobId, true)
    await stage.stop(jobId, true)
    const done = await stage.hears(jobId, 'CompleteJob')
    const text = stage.textOf(jobId)
    assert.is(done.outputHash, outputHash(text))
    assert.is(done.usage.completionTokens, text.split(' ').length - 1)
    await until('the upstream to be let go', () => upstream.cut === 1, SOON_MS)
  }),
)

Stops(
  'stop with settle before any text: cancelled',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve(() => {})
    const { jobId } = await stage.offer()
    await until('the upstream to be asked', () => upstream.requests.length > 0, SOON_MS)
    await stage.stop(jobId, true)
    const { reason, textSent } = await stage.hears(jobId, 'FailWorker')
    assert.equal([reason, textSent], ['cancelled', false])
  }),
)

Stops(
  'stop with settle before any text: a proof of nothing is not asked for',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => worker.accept(jobId)
    worker.onCancel = (jobId) => worker.complete(jobId, '', 0, { outputTokens: 0 })
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker')
    await stage.stop(jobId, true)
    await stage.hears(jobId, 'FailWorker')
    await until('the worker to be told', () => worker.cancels.length > 0, SOON_MS)
    assert.equal(worker.cancels, [{ jobId, settle: false }])
    assert.equal(
      stage.told.map(({ type }) => type),
      ['AssignWorker', 'FailWorker'],
    )
  }),
)

Stops(
  'stop of a job whose offer was lost or refused: nobody will report',
  inHouse(async ({ stage, rogue }) => {
    const { jobId: refused, reply } = await stage.offer()
    assert.is(reply.type, 'refused')
    assert.equal(await stage.stop(refused, true), { type: 'not_taken' })
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => worker.accept(jobId)
    const { jobId: taken } = await stage.offer()
    for (const settle of [true, false]) {
      assert.equal(await stage.stop(taken, settle), { type: 'taken' })
    }
  }),
)

Stops(
  'stop without settle: the worker is cancelled, the job hears nothing more',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve(slowly)
    const { jobId } = await stage.offer()
    await until('some text', () => stage.textOf(jobId).length > 20, SOON_MS)
    await stage.stop(jobId, false)
    await until('the upstream to be let go', () => upstream.cut === 1, SOON_MS)
    await until('the slot to be free', () => stage.load()?.busy === 0, SOON_MS)
    assert.equal(
      stage.told.map(({ type }) => type),
      ['AssignWorker'],
    )
  }),
)

Stops(
  'stop of a job that waits: cancelled, and never offered',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => worker.accept(jobId)
    await stage.offer()
    const { jobId } = await stage.offer()
    await stage.stop(jobId, true)
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'cancelled')
    await until('the first offer', () => worker.offers.length > 0, SOON_MS)
    assert.is(worker.offers.length, 1)
  }),
)

Stops(
  'deadline: the worker is cancelled, nobody is told',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve(slowly)
    const { jobId } = await stage.offer({ deadlineAt: toUnixMs(Date.now() + 2_000) })
    await stage.hears(jobId, 'AssignWorker')
    await until('the upstream to be let go', () => upstream.cut === 1, SOON_MS)
    await until('the slot to be free', () => stage.load()?.busy === 0, SOON_MS)
    assert.is(stage.told.length, 1)
  }),
)

Stops(
  'the agent stops: it finishes what it runs and takes nothing new',
  inHouse(async ({ stage }) => {
    const engine = makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 100, tokenMs: 5 })
    const agent = await stage.agent(engine)
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker')
    const stopped = agent.stop()
    await until('the drain to show', () => stage.workers() === 0, SOON_MS)
    assert.equal((await stage.offer()).reply, { type: 'refused', reason: 'no_worker' })
    await stopped
    await stage.hears(jobId, 'CompleteJob')
  }),
)

Stops(
  'the pool stops: running jobs finish, waiting ones are sent elsewhere',
  inHouse(async ({ stage }) => {
    const engine = makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 100, tokenMs: 5 })
    await stage.agent(engine, { slots: 1 })
    const running = await stage.offer()
    await stage.hears(running.jobId, 'AssignWorker')
    const waiting = await stage.offer()
    const stopped = stage.pool.stop()
    await until('the summary to say so', () => stage.summary?.draining === true, SOON_MS)
    assert.equal((await stage.offer()).reply, { type: 'refused', reason: 'draining' })
    await stopped
    assert.is((await stage.hears(waiting.jobId, 'FailWorker')).reason, 'pool_gone')
    await stage.hears(running.jobId, 'CompleteJob')
  }),
)

Stops.run()
