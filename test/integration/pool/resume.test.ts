import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../../src/domain/hash.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import { RESUME_MS } from '../../../src/pool/session/session.ts'
import { type CuttableHouse, inCuttableHouse } from '../../fakes/pool/cuttable.ts'
import { identity, PoolStage } from '../../fakes/pool/stage.ts'
import { data, stream } from '../../fakes/pool/upstream.ts'
import { pause, until } from '../../until.ts'

/** Real agents behind a way to the pool that fails. */
const Resume = suite('pool and worker: a stream that breaks')
const PATIENCE_MS = 25_000

const WORDS = Array.from({ length: 40 }, (_, i) => `word${i} `)

/** An answer that takes a while. */
const speaks =
  (everyMs: number, words: readonly string[] = WORDS) =>
  (_request: unknown, response: Parameters<typeof stream>[0]) =>
    stream(response, words, { everyMs, usage: null })

const delta = (content: string) => data({ choices: [{ index: 0, delta: { content } }] })
const END = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })

/** Waits for the job's proof; the answer must be there once, whole, and told as by one worker. */
async function whole({ stage }: CuttableHouse, jobId: JobId, text: string): Promise<void> {
  const done = await stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
  assert.is(stage.textOf(jobId), text)
  assert.is(done.outputHash, outputHash(text))
  assert.is(done.chunks, stage.chunksOf(jobId).length)
  const told = stage.told.filter((command) => command.jobId === jobId)
  assert.equal(
    told.map(({ type }) => type),
    ['AssignWorker', 'CompleteJob'],
  )
  assert.is(stage.strikes.entries.size, 0, 'nobody broke the rules')
}

const saidSome = ({ stage }: CuttableHouse, jobId: JobId, chunks = 3): Promise<boolean> =>
  until('some of the answer', () => stage.chunksOf(jobId).length >= chunks, PATIENCE_MS)

Resume(
  'cut in the middle of an answer: it comes once and whole',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    upstream.answer = speaks(20)
    await connect()
    const { jobId } = await stage.offer()
    await saidSome(house, jobId)
    relay.break()
    await whole(house, jobId, WORDS.join(''))
    assert.is(upstream.requests.length, 1, 'generated once')
    assert.is(stage.chain.asked, 1)
  }),
)

Resume(
  'ten cuts in one answer, several jobs at once',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    let isCutting = true
    upstream.answer = async (_request, response) => {
      while (isCutting) {
        response.write(delta('on and '))
        await pause(10)
      }
      response.end(`${delta('on')}${END}`)
    }
    const agent = await connect()
    const jobs = await Promise.all([stage.offer(), stage.offer(), stage.offer()])
    for (const { jobId } of jobs) await saidSome(house, jobId, 1)
    for (let cut = 0; cut < 10; cut++) {
      const before = jobs.map(({ jobId }) => stage.textOf(jobId).length)
      relay.break()
      const goOn = () => jobs.every(({ jobId }, i) => stage.textOf(jobId).length > before[i]!)
      await until(`the answers to go on after cut ${cut}`, goOn, PATIENCE_MS)
    }
    isCutting = false
    for (const { jobId } of jobs) {
      await stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
      const text = stage.textOf(jobId)
      assert.match(text, /^(on and )+on$/)
      await whole(house, jobId, text)
    }
    assert.is(upstream.requests.length, 3)
    await until('the agent to count them', () => agent.report().jobsDone === 3, PATIENCE_MS)
  }),
)

Resume(
  'the proof is lost with the connection: it is sent again',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    let finish = () => {}
    upstream.answer = async (_request, response) => {
      response.write(delta('all of it'))
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      response.end(END)
    }
    const agent = await connect()
    const { jobId } = await stage.offer()
    await saidSome(house, jobId, 1)
    relay.stall()
    finish()
    await until('the agent to have signed', () => agent.report().jobsDone === 1, PATIENCE_MS)
    // Neither side was told: both notice by the silence of the other.
    await whole(house, jobId, 'all of it')
    assert.is(upstream.requests.length, 1)
  }),
)

Resume(
  'half open in the middle of an answer: both notice, and it goes on',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    upstream.answer = speaks(100)
    await connect()
    const { jobId } = await stage.offer()
    await saidSome(house, jobId)
    relay.stall()
    await whole(house, jobId, WORDS.join(''))
  }),
)

Resume(
  'cut for longer than the pool waits: the job is told, the agent drops it and comes back',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    upstream.answer = speaks(500)
    const agent = await connect()
    const { jobId } = await stage.offer()
    await saidSome(house, jobId, 1)
    relay.cut()
    await until('it to reconnect', () => agent.report().phase === 'reconnecting', PATIENCE_MS)
    assert.is(stage.load()?.workers, 1, 'it still holds its place')
    const failed = await stage.hears(jobId, 'FailWorker', RESUME_MS + PATIENCE_MS)
    assert.equal([failed.reason, failed.textSent], ['worker_lost', true])
    await until('the worker to be gone', () => stage.workers() === 0, PATIENCE_MS)
    relay.mend()
    await until('the worker to be back', () => stage.workers() === 1, PATIENCE_MS)
    await until('the lost job to be dropped', () => upstream.cut === 1, PATIENCE_MS)
    upstream.answer = speaks(1, ['again'])
    await whole(house, (await stage.offer()).jobId, 'again')
  }),
)

Resume(
  'cut before the first word: another worker is asked at once, and the first comes back to nothing',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, rogue, connect } = house
    upstream.answer = () => {}
    await connect()
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker', PATIENCE_MS)
    const second = await rogue(9)
    second.onOffer = () => second.accept(jobId)
    relay.cut()
    await until('the second to be asked', () => second.offers.length === 1, PATIENCE_MS)
    second.chunk(jobId, 0, 'quick')
    second.complete(jobId, 'quick', 1)
    assert.is((await stage.hears(jobId, 'CompleteJob', PATIENCE_MS)).worker, second.address)
    assert.is(stage.textOf(jobId), 'quick')
    relay.mend()
    await until('the first to drop it', () => upstream.cut === 1, PATIENCE_MS)
    await until('all slots to be free', () => stage.load()?.busy === 0, PATIENCE_MS)
  }),
)

Resume(
  'cancelled during the cut: dropped when the worker is back',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    upstream.answer = speaks(500)
    const agent = await connect()
    const { jobId } = await stage.offer()
    await saidSome(house, jobId, 1)
    relay.cut()
    await until('the cut', () => agent.report().phase === 'reconnecting', PATIENCE_MS)
    await stage.stop(jobId, false)
    relay.mend()
    await until('the job to be dropped', () => upstream.cut === 1, PATIENCE_MS)
    await until('its slot to be free', () => stage.load()?.busy === 0, PATIENCE_MS)
    assert.is(stage.told.filter(({ type }) => type === 'CompleteJob').length, 0)
    assert.is(stage.strikes.entries.size, 0)
  }),
)

Resume(
  'the caller leaves during the cut: what was generated is proven when the worker is back',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    upstream.answer = speaks(200)
    const agent = await connect()
    const { jobId } = await stage.offer()
    await saidSome(house, jobId, 1)
    relay.cut()
    await until('the cut', () => agent.report().phase === 'reconnecting', PATIENCE_MS)
    await stage.stop(jobId, true)
    relay.mend()
    const done = await stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    const text = stage.textOf(jobId)
    assert.is(done.outputHash, outputHash(text))
    assert.ok(text.length < WORDS.join('').length, 'it was stopped')
  }),
)

Resume(
  'another pool answers there: the jobs are over, and the agent works for it',
  inCuttableHouse(async (house) => {
    const { stage, upstream, relay, connect } = house
    const other = await new PoolStage().open()
    try {
      upstream.answer = speaks(500)
      await connect()
      const { jobId } = await stage.offer()
      await saidSome(house, jobId, 1)
      relay.target = other.url
      relay.break()
      await until('the agent at the other pool', () => other.workers() === 1, PATIENCE_MS)
      await until('the job to be dropped', () => upstream.cut === 1, PATIENCE_MS)
      upstream.answer = speaks(1, ['new'])
      const next = await other.offer()
      assert.is(
        (await other.hears(next.jobId, 'CompleteJob', PATIENCE_MS)).worker,
        identity(1).address,
      )
      const failed = await stage.hears(jobId, 'FailWorker', RESUME_MS + PATIENCE_MS)
      assert.is(failed.reason, 'worker_lost')
      assert.is(other.strikes.entries.size, 0)
    } finally {
      // Closed before its worker has left, it would wait for it.
      relay.cut()
      await other.close()
    }
  }),
)

Resume.run()
