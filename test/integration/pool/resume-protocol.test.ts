import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Failure_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import type { StrikeRecord } from '../../../src/messages/strikes.ts'
import { RESUME_MS } from '../../../src/pool/session/session.ts'
import { type House, inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { pause, until } from '../../until.ts'

/** Workers written by hand that come back, or say that they do. */
const Resume = suite('pool: sessions that are resumed')
const PATIENCE_MS = 25_000
const KEY = 9

interface Going {
  readonly first: Rogue
  readonly token: Buffer
  readonly jobId: JobId
}

/** A worker that resumes, with one job of which two chunks have come. */
async function going({ stage, rogue }: House): Promise<Going> {
  const first = await rogue(KEY, { resumes: true, slots: 2 })
  first.onOffer = ({ jobId }) => {
    first.accept(jobId)
    first.chunk(jobId, 0, 'one ')
    first.chunk(jobId, 1, 'two ')
  }
  const { jobId } = await stage.offer()
  await until('two chunks', () => stage.textOf(jobId) === 'one two ', PATIENCE_MS)
  return { first, token: tokenOf(first), jobId }
}

const tokenOf = ({ welcome }: Rogue): Buffer => welcome?.sessionToken ?? Buffer.alloc(0)
const isTold = ({ stage }: House, jobId: JobId, type: string) =>
  stage.told.some((command) => command.jobId === jobId && command.type === type)

/** The same worker over another stream. */
const back = ({ rogue }: House, token: Buffer, { key = KEY, beats = true } = {}) =>
  rogue(key, { resumes: true, slots: 2, token, beats })

/** The pool has seen that the stream is gone: no slot of it is to be had. */
const suspended = ({ stage }: House) =>
  until('the suspension', () => stage.load()?.busy === stage.load()?.slots, PATIENCE_MS)

async function flaws({ stage }: House, worker: Rogue) {
  const record = () => stage.strikes.entries.get(worker.address)?.value as StrikeRecord | undefined
  await until('the strike to be on record', () => record() !== undefined, PATIENCE_MS)
  return record()?.counts
}

Resume(
  'with its token a worker goes on at the chunk that is due',
  inHouse(async (house) => {
    const { first, token, jobId } = await going(house)
    first.vanish()
    await suspended(house)
    const second = await back(house, token)
    assert.equal(second.welcome?.resumed, [{ jobId, nextSeq: 2 }])
    assert.is(second.welcome?.resumeMs, RESUME_MS)
    assert.is(tokenOf(second).length, 32)
    assert.not.equal(tokenOf(second), token)
    second.chunk(jobId, 2, 'three')
    second.complete(jobId, 'one two three', 3)
    await house.stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    assert.is(house.stage.textOf(jobId), 'one two three')
    assert.not(isTold(house, jobId, 'FailWorker'))
    await until('the slot to be free', () => house.stage.load()?.busy === 0, PATIENCE_MS)
  }),
)

Resume(
  'the old stream still looks alive: the new one takes over at once',
  inHouse(async (house) => {
    const { first, token, jobId } = await going(house)
    const second = await back(house, token)
    assert.equal(second.welcome?.resumed, [{ jobId, nextSeq: 2 }])
    first.chunk(jobId, 2, 'unheard')
    await until('the old stream to end', () => first.ended?.code === 'ABORTED', PATIENCE_MS)
    second.complete(jobId, 'one two ', 2)
    await house.stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    assert.is(house.stage.textOf(jobId), 'one two ')
    assert.is(house.stage.workers(), 1)
  }),
)

Resume(
  'a Welcome that is lost costs nothing: the token before it is good until then, and not after',
  inHouse(async (house) => {
    const { token, jobId } = await going(house)
    // One that says anything has read its Welcome.
    const unheard = await back(house, token, { beats: false })
    assert.ok(unheard.welcome)
    const third = await back(house, token)
    assert.equal(third.welcome?.resumed, [{ jobId, nextSeq: 2 }])
    third.chunk(jobId, 2, 'three')
    await until('the chunk', () => house.stage.textOf(jobId).endsWith('three'), PATIENCE_MS)
    const late = await back(house, token)
    assert.equal(late.welcome?.resumed, [])
    const failed = await house.stage.hears(jobId, 'FailWorker', PATIENCE_MS)
    assert.is(failed.reason, 'worker_lost')
  }),
)

for (const [what, wrong] of [
  ['a wrong token', () => Buffer.alloc(32, 7)],
  ['a short one', (token: Buffer) => token.subarray(0, 31)],
  ['none, as agents of before send', () => Buffer.alloc(0)],
] as const) {
  Resume(
    `${what}: a new session, and the jobs of the old one are lost at once`,
    inHouse(async (house) => {
      const { first, token, jobId } = await going(house)
      first.vanish()
      await suspended(house)
      const second = await back(house, wrong(token))
      assert.equal(second.welcome?.resumed, [])
      const failed = await house.stage.hears(jobId, 'FailWorker', RESUME_MS - 1_000)
      assert.equal([failed.reason, failed.textSent], ['worker_lost', true])
      assert.is(house.stage.workers(), 1)
    }),
  )
}

Resume(
  'the token of another worker opens nothing, and harms nobody',
  inHouse(async (house) => {
    const { token, jobId, first } = await going(house)
    const thief = await back(house, token, { key: KEY + 1 })
    assert.equal(thief.welcome?.resumed, [])
    first.complete(jobId, 'one two ', 2)
    assert.is((await house.stage.hears(jobId, 'CompleteJob', PATIENCE_MS)).worker, first.address)
  }),
)

Resume(
  'nobody waits for a worker that had said it leaves',
  inHouse(async (house) => {
    const { first, jobId } = await going(house)
    first.say({ $case: 'drain', value: { reason: 'enough' } })
    await until('the drain to be known', () => house.stage.workers() === 0, PATIENCE_MS)
    first.vanish()
    const failed = await house.stage.hears(jobId, 'FailWorker', RESUME_MS - 1_000)
    assert.is(failed.reason, 'worker_lost')
  }),
)

Resume(
  'what had come already is passed over word for word, and the same proof again is no breach',
  inHouse(async (house) => {
    const { stage } = house
    const { token, jobId } = await going(house)
    const second = await back(house, token)
    second.chunk(jobId, 0, 'one ')
    second.chunk(jobId, 1, 'two ')
    second.chunk(jobId, 2, 'three')
    second.complete(jobId, 'one two three', 3)
    await stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    const third = await back(house, tokenOf(second))
    assert.equal(third.welcome?.resumed, [])
    third.chunk(jobId, 2, 'three')
    third.complete(jobId, 'one two three', 3)
    await pause(1_500)
    assert.is(stage.strikes.entries.size, 0)
    assert.is(stage.told.filter(({ type }) => type === 'CompleteJob').length, 1)
    assert.is(stage.textOf(jobId), 'one two three')
  }),
)

Resume(
  'other words under a number that has come are a breach',
  inHouse(async (house) => {
    const { token, jobId } = await going(house)
    const second = await back(house, token)
    second.chunk(jobId, 1, 'another ')
    const failed = await house.stage.hears(jobId, 'FailWorker', PATIENCE_MS)
    assert.is(failed.reason, 'worker_error')
    assert.equal(await flaws(house, second), { wrong_chunks: 1 })
  }),
)

Resume(
  'another proof of a job that had ended before the cut is a breach, with both signatures',
  inHouse(async (house) => {
    const { first, token, jobId } = await going(house)
    first.complete(jobId, 'one two ', 2)
    await house.stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    const second = await back(house, token)
    second.complete(jobId, 'another answer', 2)
    assert.equal(await flaws(house, second), { equivocation: 1 })
    assert.is(house.stage.strikes.entries.size, 2)
  }),
)

Resume(
  'text beyond the end of a job that had ended before the cut is a breach',
  inHouse(async (house) => {
    const { first, token, jobId } = await going(house)
    first.complete(jobId, 'one two ', 2)
    await house.stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    const second = await back(house, token)
    second.chunk(jobId, 2, 'more')
    assert.equal(await flaws(house, second), { text_after_end: 1 })
  }),
)

Resume(
  'an offer that was lost with the stream is made again',
  inHouse(async (house) => {
    const { stage, rogue } = house
    const first = await rogue(KEY, { resumes: true })
    const { jobId } = await stage.offer()
    await until('the offer', () => first.offers.length === 1, PATIENCE_MS)
    const second = await back(house, tokenOf(first))
    second.onOffer = () => {
      second.accept(jobId)
      second.chunk(jobId, 0, 'ok')
      second.complete(jobId, 'ok', 1)
    }
    assert.equal(second.welcome?.resumed, [{ jobId, nextSeq: 0 }])
    second.say({ $case: 'failure', value: notKnown(jobId) })
    await stage.hears(jobId, 'CompleteJob', PATIENCE_MS)
    assert.not(isTold(house, jobId, 'FailWorker'))
  }),
)

Resume(
  'a running job that the worker no longer knows fails at once',
  inHouse(async (house) => {
    const { token, jobId } = await going(house)
    const second = await back(house, token)
    second.say({ $case: 'failure', value: notKnown(jobId) })
    const failed = await house.stage.hears(jobId, 'FailWorker', PATIENCE_MS)
    assert.is(failed.reason, 'worker_lost')
    await until('the slot to be free', () => house.stage.load()?.busy === 0, PATIENCE_MS)
  }),
)

Resume(
  'no offers to a worker that is not there; what waits is offered when it is back',
  inHouse(async (house) => {
    const { stage } = house
    const { first, token } = await going(house)
    first.vanish()
    await suspended(house)
    const { jobId, reply } = await stage.offer()
    assert.equal(reply, { type: 'taken' })
    const second = await back(house, token)
    await until('the offer', () => second.offers.length === 1, PATIENCE_MS)
    assert.is(second.offers[0]?.jobId, jobId)
  }),
)

Resume(
  'cancelled during the cut: the worker is told, and its slot is free',
  inHouse(async (house) => {
    const { stage } = house
    const { first, token, jobId } = await going(house)
    first.vanish()
    await suspended(house)
    await stage.stop(jobId, false)
    const second = await back(house, token)
    assert.equal(second.welcome?.resumed, [])
    await until('the cancel', () => second.cancels.length === 1, PATIENCE_MS)
    assert.equal(second.cancels, [{ jobId, settle: false }])
    await until('the slot to be free', () => stage.load()?.busy === 0, PATIENCE_MS)
  }),
)

Resume(
  'a pool that shuts down waits for nobody',
  inHouse(async (house) => {
    const { stage } = house
    const { first, jobId } = await going(house)
    first.vanish()
    await suspended(house)
    await stage.pool.stop()
    assert.is((await stage.hears(jobId, 'FailWorker', PATIENCE_MS)).reason, 'worker_lost')
  }),
)

const notKnown = (jobId: string) => ({
  jobId,
  reason: Failure_Reason.REASON_NOT_KNOWN,
  message: 'not known here',
})

Resume.run()
