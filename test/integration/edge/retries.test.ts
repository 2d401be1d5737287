import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventsOf, openChat, readAll } from '../../fakes/edge/raw-http.ts'
import {
  ask,
  beginning,
  counted,
  failure,
  hasAnswered,
  hasFailed,
  named,
  said,
  started,
  TEXT,
  TEXTS,
  whenClaimed,
  whenJoined,
  wholeAnswer,
} from '../../fakes/edge/retried.ts'
import {
  chat,
  chunksOf,
  completed,
  ESCROW_TX,
  jsonOf,
  openStage,
  SETTLEMENT_TX,
  type Stage,
  settlementSent,
  WORKER,
} from '../../fakes/edge/stage.ts'
import { SOON_MS, until } from '../../until.ts'

/** A request that is sent again joins the job of the first one, and pays nothing. */
const Retries = suite<{ stage: Stage }>('edge: retried requests')
Retries.before.each(async (context) => {
  context.stage = await openStage()
})
Retries.after.each(async ({ stage }) => stage.close())

const textOf = async (response: Response): Promise<string> =>
  (await jsonOf(response)).choices[0].message.content
/** Requests that should find each other are in, on a busy machine too. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 1_000))

for (const [what, first, second] of [
  ['by its key', named(), named()],
  ['by its body and the count of its retries', counted(0), counted(1)],
] as const) {
  Retries(`while it runs, a retried request gets the same answer, ${what}`, async ({ stage }) => {
    const asked = [ask(stage, first)]
    await beginning(stage)
    asked.push(ask(stage, second), ask(stage, second))
    await settle()
    const { jobId } = started(stage)[0]!
    wholeAnswer(stage, jobId)
    for (const response of await Promise.all(asked)) {
      assert.is(response.status, 200)
      assert.is(response.headers.get('x-svc-job-id'), jobId)
      assert.is(response.headers.get('x-svc-settlement-tx'), SETTLEMENT_TX)
      assert.is(await textOf(response), TEXT)
    }
    assert.equal([started(stage).length, stage.ledger.reservations.size], [1, 1])
    assert.is(said(stage, 'CancelJob').length, 0)
  })
}

Retries('a stream that is joined in its middle begins at the beginning', async ({ stage }) => {
  const body = chat({ stream: true })
  const asked = openChat(stage.url, body, named())
  await beginning(stage)
  const { jobId } = started(stage)[0]!
  const [one, two, three] = chunksOf(jobId, TEXTS)
  stage.say(one!, two!)
  const first = await asked
  const second = await openChat(stage.url, body, named())
  stage.say(three!, completed(jobId, TEXTS), settlementSent(jobId))
  const bodies = await Promise.all([readAll(first), readAll(second)])
  const contents = bodies.map((text) => {
    const events = eventsOf(text)
    assert.is(events.at(-1), '[DONE]')
    assert.is(events[0].choices[0].delta.role, 'assistant')
    assert.is(new Set(events.slice(0, -1).map(({ id }) => id)).size, 1)
    return events.slice(0, -1).map((event) => event.choices[0].delta.content ?? '')
  })
  assert.equal(contents, [
    [...TEXTS, ''],
    ['Hello', ' you', ''],
  ])
  assert.is(second.headers['x-svc-worker'], WORKER)
  assert.is(second.headers['x-svc-tx-hash'], ESCROW_TX)
})

Retries('what was answered is answered again from what is stored', async ({ stage }) => {
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  whenJoined(stage, hasAnswered)
  for (const stream of [false, true]) {
    const body = chat({ stream })
    const key = named(`stream-${stream}`)
    const first = await readAll(await openChat(stage.url, body, key))
    const again = await openChat(stage.url, body, key)
    const text = await readAll(again)
    const { jobId } = started(stage).at(-1)!
    assert.is(again.headers['x-svc-job-id'], jobId)
    assert.is(again.headers['x-svc-worker'], WORKER)
    assert.is(again.headers['x-svc-tx-hash'], ESCROW_TX)
    assert.ok(again.headers['x-svc-credits-remaining'])
    if (!stream) assert.equal(JSON.parse(text), { ...JSON.parse(first), created: 1_700_000_000 })
    else assert.is(eventsOf(text)[0].choices[0].delta.content, 'Hello you')
  }
  assert.equal([started(stage).length, said(stage, 'JoinJob').length], [2, 2])
})

Retries('an answer whose text is gone says so, and is not retried', async ({ stage }) => {
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  whenJoined(stage, hasAnswered)
  for (const stream of [false, true]) {
    const [key, body] = [named(`stream-${stream}`), chat({ stream })]
    await readAll(await openChat(stage.url, body, key))
    stage.outputs.answers.clear()
    const response = await ask(stage, key, body)
    const { error } = await jsonOf(response)
    assert.equal([response.status, error.code, error.type], [410, 'answer_gone', 'not_found_error'])
    const { jobId } = started(stage).at(-1)!
    assert.equal(error.details, { job_id: jobId, credits_charged: 8 })
    assert.is(response.headers.get('x-svc-job-id'), jobId)
  }
  assert.is(started(stage).length, 2)
})

Retries('an answer that cannot be read now may be later: 503', async ({ stage }) => {
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  whenJoined(stage, hasAnswered)
  await ask(stage, named())
  const { outputs } = stage
  const read = outputs.answer.bind(outputs)
  outputs.answer = async () => {
    throw new Error('Redis is away')
  }
  const away = await ask(stage, named())
  assert.equal([away.status, (await jsonOf(away)).error.code], [503, 'service_unavailable'])
  outputs.answer = read
  assert.is(await textOf(await ask(stage, named())), TEXT)
})

Retries('the same key with another body is refused, running or answered', async ({ stage }) => {
  const asked = ask(stage, named())
  await beginning(stage)
  const other = chat({ temperature: 1 })
  const check = async () => {
    const response = await ask(stage, named(), other)
    const { error } = await jsonOf(response)
    assert.equal(
      [response.status, error.code, error.param],
      [400, 'invalid_request', 'Idempotency-Key'],
    )
    assert.match(error.message, 'another body')
  }
  await check()
  wholeAnswer(stage, started(stage)[0]!.jobId)
  await asked
  await check()
  const malformed = await ask(stage, named('a b'))
  assert.equal([malformed.status, (await jsonOf(malformed)).error.param], [400, 'Idempotency-Key'])
  assert.is(started(stage).length, 1)
})

Retries('a first try never joins, and a later one joins the newest', async ({ stage }) => {
  const asked = [ask(stage, counted(0))]
  await beginning(stage)
  asked.push(ask(stage, counted(0)))
  await beginning(stage, 2)
  asked.push(ask(stage, counted(2)))
  await settle()
  const [one, two] = started(stage)
  for (const job of [one!, two!]) wholeAnswer(stage, job.jobId)
  const ids = (await Promise.all(asked)).map(({ headers }) => headers.get('x-svc-job-id'))
  assert.equal(ids, [one!.jobId, two!.jobId, two!.jobId])
})

Retries('without either header nothing is written down, and nothing joined', async ({ stage }) => {
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  await ask(stage, {})
  await ask(stage, {})
  assert.is(started(stage).length, 2)
  assert.is(stage.ledger.joinables.size, 0)
  for (const { join } of stage.ledger.reservations.values()) assert.is(join, undefined)
})

Retries('a job that failed is replaced by a new one, once', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    if (started(stage).length === 1) stage.say(failure(jobId))
  }
  whenJoined(stage, hasFailed)
  const failed = await ask(stage, counted(0))
  assert.is(failed.status, 500)
  const retried = [ask(stage, counted(1)), ask(stage, counted(1))]
  await beginning(stage, 2)
  await settle()
  wholeAnswer(stage, started(stage)[1]!.jobId)
  for (const response of await Promise.all(retried)) assert.is(response.status, 200)
  assert.is(started(stage).length, 2)
  assert.not(started(stage)[0]!.jobId === started(stage)[1]!.jobId)
})

Retries(
  'a failed job whose credits are still on their way back: 503, not 402',
  async ({ stage }) => {
    await stage.fund(8)
    whenJoined(stage, (jobId) => hasFailed(jobId, { escrowTx: ESCROW_TX }))
    stage.play = ({ jobId }) => stage.say(failure(jobId))
    assert.is((await ask(stage, named())).status, 500)
    const retried = await ask(stage, named())
    assert.equal([retried.status, retried.headers.get('retry-after')], [503, '2'])
    assert.match((await jsonOf(retried)).error.message, /on their way back/)
    whenJoined(stage, (jobId) => hasFailed(jobId, { escrowTx: ESCROW_TX, block: 7 }))
    stage.ledger.returning.clear()
    assert.is((await ask(stage, named())).status, 402)
  },
)

Retries(
  'a retried request joins although its wallet is spent and no worker is left',
  async ({ stage }) => {
    await stage.fund(9)
    const asked = ask(stage, named())
    await beginning(stage)
    stage.bus.publish('pools.summary', { poolId: 'pool', draining: true, models: {} })
    const retried = ask(stage, named())
    await settle()
    wholeAnswer(stage, started(stage)[0]!.jobId)
    for (const response of await Promise.all([asked, retried])) assert.is(response.status, 200)
  },
)

Retries('nobody can tell what became of the first try: 503', async ({ stage }) => {
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  await ask(stage, named())
  stage.ledger.joinable = async () => {
    throw new Error('Redis is away')
  }
  const retried = await ask(stage, named())
  assert.equal([retried.status, (await jsonOf(retried)).error.code], [503, 'service_unavailable'])
  assert.is((await ask(stage, {})).status, 200)
  assert.is(started(stage).length, 2)
})

Retries('what Redis has forgotten is joined all the same while it runs here', async ({ stage }) => {
  const asked = ask(stage, named())
  await beginning(stage)
  stage.ledger.joinables.clear()
  const retried = ask(stage, named())
  await settle()
  wholeAnswer(stage, started(stage)[0]!.jobId)
  for (const response of await Promise.all([asked, retried])) assert.is(response.status, 200)
  assert.is(started(stage).length, 1)
})

Retries(
  'what Redis has forgotten is paid for once: the host of its job tells of it',
  async ({ stage }) => {
    whenClaimed(stage, hasAnswered)
    stage.play = ({ jobId }) => {
      if (stage.outputs.answers.size === 0) wholeAnswer(stage, jobId)
    }
    for (const stream of [false, true]) {
      stage.outputs.answers.clear()
      const [key, body] = [named(`flushed-${stream}`), chat({ stream })]
      await readAll(await openChat(stage.url, body, key))
      const { jobId } = started(stage).at(-1)!
      stage.ledger.joinables.clear()
      const again = await openChat(stage.url, body, key)
      assert.match(await readAll(again), 'Hello you')
      assert.is(again.headers['x-svc-job-id'], jobId)
      const second = started(stage).at(-1)!.jobId
      assert.not(second === jobId)
      await until(
        'nothing is reserved for it',
        () => !stage.ledger.reservations.has(second),
        SOON_MS,
      )
      stage.ledger.joinables.clear()
      const other = await ask(stage, key, chat({ stream, max_tokens: 9 }))
      assert.equal([other.status, (await jsonOf(other)).error.param], [400, 'Idempotency-Key'])
    }
  },
)

Retries('one that failed is replaced, also where Redis has forgotten it', async ({ stage }) => {
  whenClaimed(stage, hasFailed)
  stage.play = ({ jobId, key }) => {
    if (key.join?.replaces) wholeAnswer(stage, jobId)
    else stage.say(failure(jobId))
  }
  assert.is((await ask(stage, named())).status, 500)
  stage.ledger.joinables.clear()
  assert.is((await ask(stage, named())).status, 200)
  const [first, refused, third] = started(stage)
  assert.equal([refused!.key.join!.replaces, third!.key.join!.replaces], [undefined, first!.jobId])
})

Retries('only a key that the caller gave itself is claimed', async ({ stage }) => {
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  for (const headers of [{}, counted(0)]) await ask(stage, headers)
  assert.equal(
    started(stage).map(({ key }) => 'join' in key),
    [false, false],
  )
})

Retries.run()
