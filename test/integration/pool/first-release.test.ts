import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../../src/domain/hash.ts'
import { ESCROW_TX, identity, PoolStage } from '../../fakes/pool/stage.ts'
import { FirstWorker } from '../../fakes/worker-1.0/worker.ts'
import { until } from '../../until.ts'

/** A worker of the first release at today's pool, with everything that is new switched on. */
const First = suite('a worker of version 1.0')

const WAIT_MS = 30_000
const TEXT = 'one, two, three'

let stage: PoolStage
let worker: FirstWorker
First.before.each(async () => {
  stage = await new PoolStage({ canary: true }).open()
  worker = new FirstWorker(stage.url, identity(1)).dial()
  await until('it to be admitted', () => stage.workers() === 1, WAIT_MS)
})
First.after.each(async () => {
  worker.vanish()
  await stage.close()
})

/** A job that it has begun to answer, and that takes some seconds. */
async function slowJob() {
  worker.pieceMs = 1_500
  const { jobId } = await stage.offer()
  await until('the first text', () => stage.chunksOf(jobId).length > 0, WAIT_MS)
  return jobId
}

First('is admitted: its canary job is a job like any other to it', async () => {
  assert.is(worker.welcomes, 1)
  assert.match(worker.offers[0]!.jobId, /^job_unpaid/)
  assert.not(worker.heard.includes(''), 'nothing is said to it that it cannot read')
})

First('serves a paid job, streamed and proven', async () => {
  const { jobId } = await stage.offer()
  const done = await stage.hears(jobId, 'CompleteJob', WAIT_MS)
  assert.is(stage.textOf(jobId), TEXT)
  assert.is(done.outputHash, outputHash(TEXT))
  assert.equal(done.usage, { promptTokens: 7, completionTokens: 3 })
  assert.equal(stage.chunksOf(jobId)[0]?.head, { worker: identity(1).address, escrowTx: ESCROW_TX })
})

First('is cancelled, with and without a proof of what there is', async () => {
  const settled = await slowJob()
  await stage.stop(settled, true)
  const done = await stage.hears(settled, 'CompleteJob', WAIT_MS)
  assert.is(done.outputHash, outputHash(stage.textOf(settled)))
  assert.is(done.finishReason, 'length')

  const dropped = await slowJob()
  await stage.stop(dropped, false)
  await until('the slot to be free', () => stage.load()?.busy === 0, WAIT_MS)
  worker.pieceMs = 1
  const { jobId } = await stage.offer()
  await stage.hears(jobId, 'CompleteJob', WAIT_MS)
})

First('drains: finishes what it has, gets nothing more, and is seen off', async () => {
  const running = await slowJob()
  worker.drain()
  await until('the pool to know', () => stage.workers() === 0, WAIT_MS)
  assert.equal((await stage.offer()).reply, { type: 'refused', reason: 'no_worker' })
  await stage.hears(running, 'CompleteJob', WAIT_MS)
  await until('the stream to end well', () => worker.ended?.code === 'OK', WAIT_MS)
})

First('its heartbeats keep it connected, and the pool sends its own', async () => {
  const beats = () => worker.heard.filter((kind) => kind === 'heartbeat').length
  // One at the welcome, then one in 2 s: three silent intervals would have ended the stream.
  await until('the pool to have beaten five times', () => beats() >= 5, WAIT_MS)
  assert.is(worker.ended, undefined)
  const { jobId } = await stage.offer()
  await stage.hears(jobId, 'CompleteJob', WAIT_MS)
})

First('its stream breaks: the job is lost at once, as it was then, and it comes back', async () => {
  const running = await slowJob()
  worker.vanish()
  assert.is((await stage.hears(running, 'FailWorker', WAIT_MS)).reason, 'worker_lost')
  await until('it to be gone', () => worker.ended !== undefined && worker.busy === 0, WAIT_MS)
  worker.pieceMs = 1
  worker.dial()
  await until('it to be back', () => stage.workers() === 1, WAIT_MS)
  assert.is(worker.welcomes, 2)
  const { jobId } = await stage.offer()
  await stage.hears(jobId, 'CompleteJob', WAIT_MS)
  const canaries = worker.offers.filter((offer) => offer.jobId.startsWith('job_unpaid'))
  assert.is(canaries.length, 1, 'it had passed its canary job before')
})

First('a pool that shuts down tells it', async () => {
  await stage.pool.stop()
  await until('the end', () => worker.ended?.code === 'UNAVAILABLE', WAIT_MS)
  assert.ok(worker.heard.includes('drain'))
})

First.run()
