import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { pause, SOON_MS, until } from '../../until.ts'

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

Hedging.run()
