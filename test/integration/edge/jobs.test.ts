import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJobId } from '../../../src/domain/ids.ts'
import type { JobStatus } from '../../../src/messages/job-view.ts'
import {
  accept,
  call,
  jsonOf,
  openStage,
  type Stage,
  viewOf as stageView,
  WALLET,
} from '../../fakes/edge/stage.ts'
import { jobAt, MODEL, STRANGER, viewOf } from '../../fakes/jobs/views.ts'

const Jobs = suite<{ stage: Stage }>('edge: the list of jobs')
Jobs.before.each(async (context) => {
  context.stage = await openStage()
  // Nobody runs these jobs any more.
  context.stage.actor = () => ({ type: 'unknown_job' })
})
Jobs.after.each(async ({ stage }) => stage.close())

const OTHER_MODEL = 'Qwen/Qwen3-14B'

/** Jobs 0 to `count` - 1 of the stage's wallet; every third has failed, every second is another model's. */
async function putJobs(stage: Stage, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, (_, i) => {
    const status: JobStatus = i % 3 ? 'settled' : 'failed'
    const model = i % 2 ? MODEL : OTHER_MODEL
    return { view: viewOf(jobAt(i), status, { wallet: WALLET, model }), version: i + 1 }
  })
  await stage.jobViews.put(jobs)
}

async function list(stage: Stage, query = '') {
  const response = await call(stage, `/v1/jobs${query}`)
  const body = await jsonOf(response)
  assert.is(response.status, 200, JSON.stringify(body))
  return { ...body, ids: body.data.map(({ id }: { id: string }) => id) }
}
const range = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => jobAt(from - i))

Jobs('an empty wallet has an empty list', async ({ stage }) => {
  const response = await call(stage, '/v1/jobs')
  assert.equal(await jsonOf(response), {
    object: 'list',
    data: [],
    has_more: false,
    next_cursor: null,
  })
  assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
})

Jobs('each job is as GET /v1/jobs/<id> shows it', async ({ stage }) => {
  await putJobs(stage, 3)
  const { data } = await list(stage)
  assert.is(data.length, 3)
  for (const job of data) {
    assert.equal(job, await jsonOf(await call(stage, `/v1/jobs/${job.id}`)))
  }
})

Jobs('pages: 20 by default, newest first, cursors to both ends', async ({ stage }) => {
  await putJobs(stage, 50)
  const first = await list(stage)
  assert.equal(first.ids, range(49, 30))
  assert.equal([first.has_more, first.next_cursor], [true, jobAt(30)])
  const second = await list(stage, `?before=${first.next_cursor}&limit=30`)
  assert.equal(second.ids, range(29, 0))
  assert.equal([second.has_more, second.next_cursor], [false, null])

  const upwards = await list(stage, `?after=${jobAt(9)}&limit=10`)
  assert.equal(upwards.ids, range(19, 10), 'those just newer, newest first')
  assert.equal([upwards.has_more, upwards.next_cursor], [true, jobAt(19)])
  const end = await list(stage, `?after=${jobAt(39)}&limit=10`)
  assert.equal(end.ids, range(49, 40))
  assert.equal([end.has_more, end.next_cursor], [false, null])

  const between = await list(stage, `?before=${jobAt(20)}&after=${jobAt(10)}&limit=4`)
  assert.equal(between.ids, range(19, 16))
  assert.equal([between.has_more, between.next_cursor], [true, jobAt(16)])
  const nothing = await list(stage, `?before=${jobAt(10)}&after=${jobAt(20)}`)
  assert.equal([nothing.ids, nothing.has_more, nothing.next_cursor], [[], false, null])
})

Jobs('filters, alone and together; unknown parameters are nothing to us', async ({ stage }) => {
  await putJobs(stage, 12)
  const model = encodeURIComponent(OTHER_MODEL)
  assert.equal(
    (await list(stage, '?status=failed')).ids,
    [9, 6, 3, 0].map((i) => jobAt(i)),
  )
  assert.equal((await list(stage, `?model=${model}&status=failed&limit=1`)).ids, [jobAt(6)])
  assert.equal((await list(stage, '?status=disputed')).ids, [])
  assert.is((await list(stage, '?model=mistralai/Mistral-7B-Instruct-v0.3')).ids.length, 0)
  assert.is((await list(stage, '?order=asc&limit%5B%5D=3&cursor=x')).ids.length, 12)
})

Jobs('a model that has left the catalogue is known to whoever used it', async ({ stage }) => {
  const view = viewOf(jobAt(1), 'settled', { wallet: WALLET, model: 'gone/model' })
  await stage.jobViews.put([{ view, version: 1 }])
  assert.equal((await list(stage, '?model=gone/model')).ids, [jobAt(1)])
})

Jobs('what is wrong is refused, and named', async ({ stage }) => {
  await putJobs(stage, 2)
  const none = `job_${'0'.repeat(26)}`
  await stage.jobViews.put([
    { view: viewOf(jobAt(90), 'settled', { wallet: STRANGER }), version: 90 },
  ])
  const wrong: Record<string, readonly string[]> = {
    limit: ['0', '-1', '101', '1.5', '', 'ten', '1e1', '%2B5', '0x10', '9'.repeat(40)],
    before: [none, 'x', '', 'job_', jobAt(90), `${jobAt(1)}0`, jobAt(1).toUpperCase(), '%00'],
    after: [none, 'x', '', jobAt(90)],
    status: ['done', '', 'SETTLED', '__proto__', 'constructor'],
    model: ['nope', '', '__proto__', 'x'.repeat(5_000)],
  }
  const queries = Object.entries(wrong).flatMap(([param, values]) =>
    values.map((value) => [param, `${param}=${value}`] as const),
  )
  const twice = ['limit=1&limit=1', 'status=failed&status=failed', 'model=a&model=b'].map(
    (query) => [query.split('=')[0]!, query] as const,
  )
  for (const [param, query] of [...queries, ...twice]) {
    const response = await call(stage, `/v1/jobs?${query}`)
    const { error } = await jsonOf(response)
    assert.equal([response.status, error.code, error.param], [400, 'invalid_request', param], query)
    assert.ok(error.message.length < 300)
    assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
  }
})

Jobs('a cursor that was made this moment: the job itself is asked', async ({ stage }) => {
  await putJobs(stage, 2)
  const fresh = jobAt(100)
  stage.actor = () => {
    // By the time it answers, its view is written.
    const view = stageView(fresh)
    void stage.jobViews.put([{ view, version: 100 }])
    return { type: 'accepted', view, ending: null }
  }
  assert.equal((await list(stage, `?before=${fresh}`)).ids, range(1, 0))
  assert.equal((await list(stage, `?after=${fresh}`)).ids, [])
  const other = jobAt(101)
  stage.actor = accept
  const response = await call(stage, `/v1/jobs?before=${other}`)
  assert.is(response.status, 503, 'there is such a job, and its view is late')
})

Jobs('while the list is rebuilt: 503, come again', async ({ stage }) => {
  await putJobs(stage, 2)
  stage.jobViews.state = { type: 'lost' }
  for (const path of ['/v1/jobs', `/v1/jobs/${jobAt(1)}`]) {
    const response = await call(stage, path)
    const { error } = await jsonOf(response)
    assert.equal([response.status, error.code], [503, 'service_unavailable'])
    assert.match(error.message, /rebuilt/)
    assert.ok(Number(response.headers.get('retry-after')) >= 1)
  }
  // A job that answers for itself needs no list.
  stage.actor = accept
  assert.is((await call(stage, `/v1/jobs/${jobAt(1)}`)).status, 200)
})

Jobs('a store that does not answer: 503', async ({ stage }) => {
  stage.jobViews.page = () => Promise.reject(new Error('connection lost'))
  stage.jobViews.get = () => Promise.reject(new Error('connection lost'))
  for (const path of ['/v1/jobs', `/v1/jobs/${jobAt(1)}`]) {
    const response = await call(stage, path)
    assert.equal(
      [response.status, (await jsonOf(response)).error.code],
      [503, 'service_unavailable'],
    )
  }
})

Jobs(
  'a job that the journal has forgotten is in the views, for its owner alone',
  async (context) => {
    const { stage } = context
    const view = viewOf(jobAt(1), 'refunded', { wallet: WALLET })
    await stage.jobViews.put([
      { view, version: 1 },
      { view: viewOf(jobAt(2), 'settled', { wallet: STRANGER }), version: 2 },
    ])
    const response = await call(stage, `/v1/jobs/${jobAt(1)}`)
    assert.is(response.status, 200)
    assert.is((await jsonOf(response)).on_chain.refund_tx, view.refundTx)
    assert.is(response.headers.get('x-svc-job-id'), jobAt(1))
    const other = await jsonOf(await call(stage, `/v1/jobs/${jobAt(2)}`))
    const never = await jsonOf(await call(stage, `/v1/jobs/${toJobId(`job_${'0'.repeat(26)}`)}`))
    assert.is(other.error.code, 'job_not_found')
    assert.is(never.error.code, 'job_not_found')
  },
)

Jobs('methods: HEAD where GET is, others 405', async ({ stage }) => {
  assert.is((await call(stage, '/v1/jobs', { method: 'HEAD' })).status, 200)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await call(stage, '/v1/jobs', { method })
    assert.equal([response.status, response.headers.get('allow')], [405, 'GET, HEAD'])
  }
})

Jobs.run()
