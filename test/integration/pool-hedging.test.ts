import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inHouse } from '../fakes/pool/house.ts'
import type { Rogue } from '../fakes/pool/rogue.ts'
import { pause, SOON_MS, until } from '../until.ts'

const Hedging = suite('pool: slow first token')

/** One that has shown to be quick, so that little is needed to be slow. */
async function measured(
  house: Parameters<Parameters<typeof inHouse>[0]>[0],
  key: number,
): Promise<Rogue> {
  const worker = await house.rogue(key, { slots: 2 })
  worker.onOffer = ({ jobId }) => {
    worker.accept(jobId)
    worker.chunk(jobId, 0, 'quick')
    worker.complete(jobId, 'quick', 1)
  }
  await house.stage.hears((await house.stage.offer()).jobId, 'CompleteJob')
  return worker
}

const accepts = (worker: Rogue) => {
  worker.onOffer = ({ jobId }) => worker.accept(jobId)
}

/** A job that the slow worker has taken, and the second worker as well. */
async function hedged(house: Parameters<Parameters<typeof inHouse>[0]>[0]) {
  const slow = await measured(house, 9)
  accepts(slow)
  const { jobId, job } = await house.stage.offer()
  await until('the slow one to be asked', () => slow.offers.length === 2, SOON_MS)
  const second = await house.rogue(10)
  accepts(second)
  await until('the second to be asked as well', () => second.offers.length === 1, SOON_MS)
  return { slow, second, jobId, job }
}

Hedging(
  'the second worker is faster: it alone is heard and reported, the first is told to stop',
  inHouse(async (house) => {
    const { stage } = house
    const { slow, second, jobId } = await hedged(house)
    second.chunk(jobId, 0, 'from the second')
    await until('the first to be cancelled', () => slow.cancels.length === 1, SOON_MS)
    assert.equal(slow.cancels, [{ jobId, settle: false }])
    slow.chunk(jobId, 0, 'too late')
    slow.complete(jobId, 'too late', 1)
    await until('the first to have let go', () => stage.load()?.busy === 1, SOON_MS)
    second.complete(jobId, 'from the second', 1)
    const done = await stage.hears(jobId, 'CompleteJob')
    assert.is(done.worker, second.address)
    assert.is(stage.textOf(jobId), 'from the second')
    const told = stage.told.filter((command) => command.jobId === jobId)
    assert.equal(
      told.map(({ type }) => type),
      ['AssignWorker', 'AssignWorker', 'CompleteJob'],
    )
    assert.is(stage.chunksOf(jobId)[0]?.head?.worker, second.address)
    await until('both slots to be free', () => stage.load()?.busy === 0, SOON_MS)
  }),
)

Hedging(
  'the first worker is faster after all: the second is told to stop',
  inHouse(async (house) => {
    const { stage } = house
    const { slow, second, jobId } = await hedged(house)
    slow.chunk(jobId, 0, 'from the first')
    await until('the second to be cancelled', () => second.cancels.length === 1, SOON_MS)
    slow.complete(jobId, 'from the first', 1)
    assert.is((await stage.hears(jobId, 'CompleteJob')).worker, slow.address)
    assert.is(stage.textOf(jobId), 'from the first')
  }),
)

Hedging(
  'one of two is lost before text: the other goes on, and the job is not bothered',
  inHouse(async (house) => {
    const { stage } = house
    const { slow, second, jobId } = await hedged(house)
    slow.vanish()
    await pause(100)
    second.chunk(jobId, 0, 'ok')
    second.complete(jobId, 'ok', 1)
    await stage.hears(jobId, 'CompleteJob')
    assert.is(stage.told.filter(({ type }) => type === 'FailWorker').length, 0)
  }),
)

Hedging(
  'both fail: the job hears once, with both of them to keep away from',
  inHouse(async (house) => {
    const { stage } = house
    const { slow, second, jobId } = await hedged(house)
    for (const worker of [slow, second]) {
      worker.say({ $case: 'failure', value: { jobId, reason: 1, message: 'engine' } })
    }
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.equal([failed.reason, failed.textSent], ['worker_error', false])
    assert.equal([...(failed.workers ?? [])].sort(), [slow.address, second.address].sort())
    assert.is(stage.told.filter(({ type }) => type === 'FailWorker').length, 1)
  }),
)

Hedging(
  'a false proof of an empty answer: the other goes on',
  inHouse(async (house) => {
    const { stage } = house
    const { slow, second, jobId } = await hedged(house)
    slow.complete(jobId, '', 0, { hashOf: 'something' })
    second.chunk(jobId, 0, 'ok')
    second.complete(jobId, 'ok', 1)
    assert.is((await stage.hears(jobId, 'CompleteJob')).worker, second.address)
  }),
)

Hedging(
  'the caller leaves before text: neither is asked to settle',
  inHouse(async (house) => {
    const { stage } = house
    const { slow, second, jobId } = await hedged(house)
    await stage.stop(jobId, true)
    await until('both to be told', () => slow.cancels.length + second.cancels.length === 2, SOON_MS)
    assert.equal(slow.cancels, [{ jobId, settle: false }])
    assert.equal(second.cancels, [{ jobId, settle: false }])
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'cancelled')
  }),
)

Hedging(
  'too long for a small context: tried where more is served, and then the caller’s',
  inHouse(async (house) => {
    const { stage } = house
    const small = await house.rogue(9, { contextWindow: 2_048 })
    accepts(small)
    const prompt = { messages: [{ role: 'user' as const, content: 'long '.repeat(8_000) }] }
    const { jobId } = await stage.offer({}, prompt)
    await until('the small one to be asked', () => small.offers.length === 1, SOON_MS)
    const large = await house.rogue(10)
    accepts(large)
    const tooLong = { jobId, reason: 2, message: 'too long' }
    small.say({ $case: 'failure', value: tooLong })
    await until('the large one to be asked', () => large.offers.length === 1, SOON_MS)
    large.say({ $case: 'failure', value: tooLong })
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.is(failed.reason, 'context_length_exceeded')
    assert.is(stage.outputs.refusals.get(jobId), 'too long')
    assert.equal(stage.load()?.completionRate, 1, 'nobody is blamed')
  }),
)

Hedging(
  'too long, though it cannot be: another worker answers, and the first has failed',
  inHouse(async (house) => {
    const { stage } = house
    const wrong = await house.rogue(9)
    wrong.onOffer = ({ jobId }) => {
      wrong.accept(jobId)
      wrong.say({ $case: 'failure', value: { jobId, reason: 2, message: 'too long' } })
    }
    const { jobId: first } = await stage.offer()
    const failed = await stage.hears(first, 'FailWorker')
    assert.equal([failed.reason, failed.contextAbove], ['context_length_exceeded', undefined])
    const right = await house.rogue(10)
    right.onOffer = ({ jobId }) => {
      right.accept(jobId)
      right.chunk(jobId, 0, 'an answer')
      right.complete(jobId, 'an answer', 1)
    }
    for (const _ of [1, 2, 3, 4]) await stage.hears((await stage.offer()).jobId, 'CompleteJob')
    assert.ok((stage.load()?.completionRate ?? 1) < 1)
  }),
)

Hedging(
  'too long after some text: no other worker goes on with that text',
  inHouse(async (house) => {
    const { stage } = house
    const small = await house.rogue(9, { contextWindow: 2_048 })
    accepts(small)
    const { jobId } = await stage.offer()
    await until('the small one to be asked', () => small.offers.length === 1, SOON_MS)
    const large = await house.rogue(10)
    accepts(large)
    small.chunk(jobId, 0, 'the beginning of ')
    small.say({ $case: 'failure', value: { jobId, reason: 2, message: 'too long' } })
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.equal([failed.reason, failed.textSent], ['context_length_exceeded', true])
    assert.equal(failed.workers, [small.address])
    assert.is(large.offers.length, 0)
    assert.is(stage.textOf(jobId), 'the beginning of ')
  }),
)

Hedging.run()
