import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addMs, isoTimestamp, toUnixMs, type UnixMs } from '../../../src/domain/time.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import {
  call,
  chat,
  chunksOf,
  completed,
  jsonOf,
  MODEL,
  openStage,
  type Stage,
  settlementSent,
  viewOf as stageView,
  WALLET,
} from '../../fakes/edge/stage.ts'
import { jobAt } from '../../fakes/jobs/views.ts'

/** What an edge says of models, as the catalogue and the time have them. */
const Edge = suite<{ stage: Stage; time: { at: UnixMs } }>('edge: the catalogue')
Edge.before.each(async (context) => {
  context.time = { at: systemClock.now() }
  const { time } = context
  context.stage = await openStage({ clock: { ...systemClock, now: () => time.at } })
  context.stage.play = ({ jobId }) => {
    context.stage.say(...chunksOf(jobId, ['Hi']), completed(jobId, ['Hi']), settlementSent(jobId))
  }
})
Edge.after.each(async ({ stage }) => stage.close())

const ask = (stage: Stage, model = MODEL) =>
  call(stage, '/v1/chat/completions', { body: chat({ model }) })
const listed = async (stage: Stage): Promise<{ id: string; svc: Record<string, unknown> }[]> =>
  (await jsonOf(await call(stage, '/v1/models'))).data

async function refusal(answer: Response) {
  const { error } = await jsonOf(answer)
  return { status: answer.status, code: error.code, param: error.param, message: error.message }
}

Edge(
  'a retirement that is announced changes nothing but what is announced',
  async ({ stage, time }) => {
    assert.not('retires_at' in (await listed(stage))[0]!.svc)
    const retiresAt = addMs(time.at, 1)
    stage.catalogue.change({ id: MODEL, retiresAt })
    assert.is((await ask(stage)).status, 200)
    const [model] = await listed(stage)
    assert.is(model!.id, MODEL)
    assert.is(model!.svc.retires_at, isoTimestamp(retiresAt))
    assert.equal(await jsonOf(await call(stage, `/v1/models/${MODEL}`)), model)
  },
)

Edge(
  'from that millisecond on the model is not found, without a message',
  async ({ stage, time }) => {
    const retiresAt = addMs(time.at, 60_000)
    stage.catalogue.change({ id: MODEL, retiresAt })
    time.at = addMs(retiresAt, -1)
    stage.summary()
    assert.is((await ask(stage)).status, 200)

    time.at = retiresAt
    const refused = await refusal(await ask(stage))
    assert.equal([refused.status, refused.code, refused.param], [400, 'model_not_found', 'model'])
    assert.match(refused.message, `was retired by vote on ${isoTimestamp(retiresAt)}`)
    assert.equal(await listed(stage), [])
    const one = await refusal(await call(stage, `/v1/models/${MODEL}`))
    assert.equal([one.status, one.code], [404, 'model_not_found'])
  },
)

Edge('a job that was accepted in time is answered after it', async ({ stage, time }) => {
  stage.catalogue.change({ id: MODEL, retiresAt: addMs(time.at, 1) })
  const { play } = stage
  stage.play = (started) => {
    time.at = addMs(time.at, 1)
    return play(started)
  }
  assert.is((await ask(stage)).status, 200)
  assert.is((await ask(stage)).status, 400)
})

Edge('a retirement that is taken back was none', async ({ stage, time }) => {
  stage.catalogue.change({ id: MODEL, retiresAt: time.at })
  assert.is((await ask(stage)).status, 400)
  stage.catalogue.change({ id: MODEL, retiresAt: null })
  assert.is((await ask(stage)).status, 200)
  assert.not('retires_at' in (await listed(stage))[0]!.svc)
})

Edge('a model is there once it is listed', async ({ stage }) => {
  const id = 'new/model'
  stage.summary({ [id]: {} })
  assert.is((await refusal(await ask(stage, id))).code, 'model_not_found')
  stage.catalogue.change({ id, publisher: 'new', created: 1_780_000_000 })
  assert.is((await ask(stage, id)).status, 200)
  const [model] = await listed(stage)
  assert.equal([model!.id, (await listed(stage)).length], [id, 1])
})

Edge('jobs of a retired model are found by it', async ({ stage, time }) => {
  stage.catalogue.change({ id: MODEL, retiresAt: time.at })
  stage.actor = () => ({ type: 'unknown_job' })
  assert.equal((await jsonOf(await call(stage, `/v1/jobs?model=${MODEL}`))).data, [])
  const view = stageView(jobAt(1), { wallet: WALLET, model: MODEL, createdAt: toUnixMs(1e12) })
  await stage.jobViews.put([{ view, version: 1 }])
  const { data } = await jsonOf(await call(stage, `/v1/jobs?model=${MODEL}`))
  assert.equal(
    data.map(({ id }: { id: string }) => id),
    [jobAt(1)],
  )
})

Edge('an edge that has heard no catalogue denies no model', async ({ stage }) => {
  stage.catalogue.set(undefined)
  const asked = [
    await ask(stage),
    await ask(stage, 'no/such'),
    await call(stage, '/v1/models'),
    await call(stage, `/v1/models/${MODEL}`),
    await call(stage, '/v1/jobs?model=no/such'),
    await call(stage, '/readyz'),
  ]
  for (const answer of asked) {
    assert.is(answer.headers.get('retry-after'), '2')
    const { status, code } = await refusal(answer)
    assert.equal([status, code], [503, 'service_unavailable'])
  }
  assert.is(stage.commands.length, 0, 'no job was begun')
  assert.equal((await jsonOf(await call(stage, '/v1/account'))).credits_remaining, 1_000)

  stage.catalogue.set([])
  assert.is((await ask(stage)).status, 400, 'now it is known that there is none')
  assert.is((await call(stage, '/readyz')).status, 200)
})

Edge.run()
