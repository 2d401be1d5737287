import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { ask, failure, named, started, whenJoined, wholeAnswer } from '../../fakes/edge/retried.ts'
import {
  call,
  chat,
  jsonOf,
  openStage,
  type Stage,
  viewOf,
  WALLET,
} from '../../fakes/edge/stage.ts'
import { until } from '../../until.ts'

const Credits = suite<{ stage: Stage }>('edge: credits of jobs that have just ended')
Credits.before.each(async (context) => {
  context.stage = await openStage()
})
Credits.after.each(async ({ stage }) => stage.close())

const OPEN_ENDED = { ...chat(), max_tokens: undefined }
const complete = (stage: Stage, body: object = OPEN_ENDED) =>
  call(stage, '/v1/chat/completions', { body })
/** The chain tells that what the first job holds is back, but for what was charged. */
async function settle(stage: Stage, charged: number): Promise<void> {
  const [start] = started(stage)
  await stage.ledger.release(WALLET, start!.jobId)
  const known = await stage.ledger.balance(WALLET)
  assert.ok(known !== 'unknown_wallet')
  await stage.fund(Number(known.remaining) - charged)
}

Credits('the next request waits until the rest of a small balance is back', async ({ stage }) => {
  await stage.fund(100)
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  const first = await complete(stage)
  assert.equal([first.status, first.headers.get('x-svc-credits-remaining')], [200, '92'])
  assert.is(started(stage)[0]!.lock, 100n)
  setTimeout(() => void settle(stage, 8), 300)
  const second = await complete(stage)
  assert.is(second.status, 200)
  assert.is(started(stage)[1]!.lock, 92n, 'and is not cut shorter than that')
})

Credits('what is not back in time: 503, and when to ask again', async ({ stage }) => {
  await stage.fund(100)
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  assert.is((await complete(stage)).status, 200)
  const second = await complete(stage)
  assert.equal([second.status, second.headers.get('retry-after')], [503, '2'])
  assert.match((await jsonOf(second)).error.message, /92 credits .* on their way back/)
})

Credits('what would not do even then: 402, with what there is by then', async ({ stage }) => {
  await stage.fund(100)
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  assert.is((await complete(stage)).status, 200)
  setTimeout(() => void settle(stage, 8), 300)
  const dear = await complete(stage, chat({ max_tokens: 100_000 }))
  assert.is(dear.status, 402)
  assert.is((await jsonOf(dear)).error.details.credits_remaining, 92)
})

Credits(
  'after a failure the answer and the next request know of all credits',
  async ({ stage }) => {
    await stage.fund(100)
    stage.play = ({ jobId }) => stage.say(failure(jobId))
    const failed = await complete(stage)
    assert.equal([failed.status, failed.headers.get('x-svc-credits-remaining')], [500, '100'])
    stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
    setTimeout(() => void settle(stage, 0), 200)
    assert.is((await complete(stage)).status, 200)
  },
)

Credits('who hangs up and asks anew waits for what that gives back', async ({ stage }) => {
  await stage.fund(100)
  const leaving = new AbortController()
  const left = ask(stage, named(), OPEN_ENDED, leaving.signal).catch(() => 'left')
  await until('the job begins', () => started(stage).length === 1)
  leaving.abort()
  assert.is(await left, 'left')
  await until('the edge has noticed', () => stage.ledger.returning.size === 1)
  stage.play = ({ jobId }) => wholeAnswer(stage, jobId)
  setTimeout(() => void settle(stage, 0), 200)
  assert.is((await complete(stage)).status, 200)
})

for (const isElsewhere of [false, true]) {
  const where = isElsewhere ? 'at another edge' : 'at the same edge'
  Credits(`who comes back to a job ${where} finds its credits held`, async ({ stage }) => {
    const other = isElsewhere ? await openStage({ beside: stage, edgeId: 'other' }) : stage
    await stage.fund(100)
    const running = { lock: toCredits(100), createdAt: toUnixMs(Date.now()) }
    whenJoined(stage, (id) => ({ type: 'accepted', view: viewOf(id, running), ending: null }))
    const leaving = new AbortController()
    const left = ask(stage, named(), OPEN_ENDED, leaving.signal).catch(() => 'left')
    await until('the job begins', () => started(stage).length === 1)
    leaving.abort()
    assert.is(await left, 'left')
    const { returning } = stage.ledger
    await until('the edge has noticed', () => returning.size === 1)
    const back = ask(other, named(), OPEN_ENDED)
    back.catch(() => 'told by what is awaited next')
    const isHeld = () => [...returning.values()][0] === 0n
    await until('what it gives back is no more waited for', isHeld, 10_000)
    assert.is((await complete(stage)).status, 402)
    wholeAnswer(other, started(stage)[0]!.jobId)
    assert.is((await back).status, 200)
    if (isElsewhere) await other.close()
  })
}

Credits('what a running job holds is not waited for', async ({ stage }) => {
  await stage.fund(100)
  void complete(stage).catch(() => {})
  await until('the job begins', () => started(stage).length === 1)
  const began = performance.now()
  const refused = await complete(stage)
  assert.is(refused.status, 402)
  assert.ok(performance.now() - began < 1_500, 'refused at once')
  assert.is(stage.ledger.returning.size, 0)
})

Credits.run()
