import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, type NetworkOptions, startNetwork } from '../../network/network.ts'
import { pause, until } from '../../until.ts'
import { audit, lockedJobs, untilMined } from '../books.ts'
import { ask, getJob, hashOf, MODEL, post, untilStatus } from '../calls.ts'
import type { JobOnChain } from '../chain-ledger.ts'
import { killAndWait, untilReplaced, untilServed, workerIndex } from '../until.ts'
import { agrees, refused, told, untilLocked, whole } from '../verdicts.ts'

/** Workers that die, hang, or are not there. */
const Workers = suite('faults of workers')
const BOOKS_MS = 90_000
const NOBODY_SERVES = 'Qwen/Qwen3-14B'
/** Over before a worker that is silent would be given up. */
const WINDOW_SECONDS = '8'

let network: Network | undefined
/** One network at a time: the machine may be small. */
async function inNetwork(options: NetworkOptions): Promise<Network> {
  await network?.stop()
  network = await startNetwork(options)
  return network
}
Workers.after(() => network?.stop())

/** Three workers, answers of three to seven seconds: nobody is killed after the end. */
let three: Network
Workers('no worker for a model: 503 with a hint, and no credit moves', async () => {
  three = await inNetwork({
    flags: ['--workers', '3'],
    env: { WORKER_SAMPLE_TOKENS: '200', WORKER_SAMPLE_TOKEN_MS: '25' },
  })
  await untilServed(three, MODEL, 3)
  const call = refused(await ask(three, { model: NOBODY_SERVES }))
  assert.is(call.status, 503)
  assert.is(call.error.code, 'no_workers_available')
  assert.is(call.error.type, 'capacity_error')
  assert.is(call.error.details?.model, NOBODY_SERVES)
  assert.is(call.headers.get('retry-after'), String(call.error.details?.retry_after))
  assert.is(call.jobId, null)
  const { jobs, available } = await audit(three, BOOKS_MS)
  assert.is(jobs.size, 0)
  assert.is(available, 100_000n)
})

Workers('killed mid-answer, plain: another worker answers under the same lock', async () => {
  const before = await lockedJobs(three)
  const asked = ask(three)
  const { id, worker } = await untilRunning(three, before)
  const index = workerIndex(three, worker)
  await killAndWait(three, 'worker', index)
  const call = whole(await asked)
  assert.is(call.jobId, id)
  assert.is.not(call.headers.get('x-svc-worker'), worker)
  const job = await untilStatus(three, id, 'settled')
  assert.is(job.on_chain.proof_hash, hashOf(call.text))
  const { jobs } = await audit(three, BOOKS_MS)
  assert.is(jobs.size, before.size + 1, 'one lock')
  const end = jobs.get(id)?.end
  assert.is(end?.type === 'settled' && end.charged, 8n)
  assert.is(end?.type === 'settled' && `sha256:${end.outputHash.slice(2)}`, hashOf(call.text))
  await untilServed(three, MODEL, 3)
})

Workers('killed mid-answer, stream: an error event, no [DONE], all credits back', async () => {
  const answer = await post(three, { stream: true })
  const id = answer.headers.get('x-svc-job-id') ?? ''
  three.kill('worker', 'SIGKILL', workerIndex(three, answer.headers.get('x-svc-worker') ?? ''))
  const body = await answer.text()
  assert.not.match(body, '[DONE]')
  const last = body.trimEnd().split('\n\n').at(-1) ?? ''
  const { error } = JSON.parse(last.slice('data: '.length))
  assert.is(error.code, 'internal_error')
  assert.is(error.type, 'server_error')
  const job = await until('the refund', async () => {
    const job = await getJob(three, id)
    return job.status === 'failed' && job.on_chain.refund_tx !== null ? job : undefined
  })
  await untilMined(three, job.on_chain.refund_tx ?? '')
  const { jobs } = await audit(three, BOOKS_MS)
  assert.is(jobs.get(id)?.end?.type, 'refunded')
  await untilServed(three, MODEL, 3)
})

Workers('twenty in flight while one of three workers is killed', async () => {
  const asked = Array.from({ length: 20 }, (_, i) => ask(three, { stream: i % 2 === 0 }))
  await pause(500)
  const pid = three.kill('worker', 'SIGKILL', 1)
  const calls = await Promise.all(asked)
  calls.forEach((call, i) => {
    // A stream that had begun at the killed worker is torn; everyone else has a whole answer.
    if (call.type === 'torn') assert.is(i % 2, 0)
    else whole(call)
  })
  const { jobs } = await audit(three, BOOKS_MS)
  for (const call of calls) await agrees(three, call, jobs)
  await untilReplaced(three, 'worker', pid, 3)
})

/** One worker that takes two and a half seconds a token, of one or two, in a window of eight. */
let slow: Network
Workers('hangs: 504 names a refund that is on chain, and it is not paid later', async () => {
  slow = await inNetwork({
    flags: ['--workers', '1'],
    env: {
      JOB_WINDOW_SECONDS: WINDOW_SECONDS,
      WORKER_SAMPLE_TOKENS: '1',
      WORKER_SAMPLE_TOKEN_MS: '2500',
    },
  })
  const before = await lockedJobs(slow)
  const asked = [ask(slow), ask(slow, { stream: true })]
  await untilTaken(before)
  const pid = slow.kill('worker', 'SIGSTOP')
  const calls = (await Promise.all(asked)).map(refused)
  for (const call of calls) {
    assert.is(call.status, 504)
    assert.is(call.error.code, 'job_timeout')
    assert.is(call.error.type, 'timeout_error')
    const { job_id: id, refund_tx: refundTx, credits_refunded: credits } = call.error.details ?? {}
    assert.is(id, call.jobId)
    await untilMined(slow, String(refundTx))
    const job = await untilStatus(slow, String(id), 'refunded')
    assert.is(job.on_chain.refund_tx, refundTx)
    assert.is(job.credits_charged, 0)
    const { jobs } = await audit(slow, BOOKS_MS)
    assert.equal(jobs.get(String(id))?.end, {
      type: 'refunded',
      tx: refundTx,
      returned: BigInt(credits ?? -1),
    })
  }
  // It goes on where it was stopped; whatever it says now changes nothing.
  process.kill(pid, 'SIGCONT')
  await pause(3_000)
  const { available } = await audit(slow, BOOKS_MS)
  assert.is(available, 100_000n)
  await untilServed(slow, MODEL, 1)
})

Workers(
  'the only worker is killed before its first token: an answer, or credits back',
  async () => {
    const before = await lockedJobs(slow)
    const asked = [ask(slow), ask(slow, { stream: true })]
    await untilTaken(before)
    const pid = slow.kill('worker')
    const calls = await Promise.all(asked)
    const { jobs } = await audit(slow, BOOKS_MS)
    assert.is(jobs.size, before.size + 2, 'one lock each')
    for (const call of calls) {
      if (call.type === 'refused') assert.ok([500, 503, 504].includes(call.status), told(call))
      else whole(call)
      await agrees(slow, call, jobs)
    }
    await untilReplaced(slow, 'worker', pid, 1)
    await untilServed(slow, MODEL, 1)
    whole(await ask(slow, { maxTokens: 1 }))
    await audit(slow, BOOKS_MS)
  },
)

/** Two jobs of the slow network are with its worker, which has not said a word of them yet. */
async function untilTaken(before: ReadonlyMap<string, JobOnChain>): Promise<void> {
  const ids = await untilLocked(slow, before, 2)
  for (const id of ids) {
    // On a very busy machine its window may be over before; then it was not answered either.
    await until(`${id} to be taken`, async () => (await getJob(slow, id)).status !== 'pending')
  }
}

/** The one job that was not locked `before`, once a worker has it. */
async function untilRunning(
  network: Network,
  before: ReadonlyMap<string, JobOnChain>,
): Promise<{ id: string; worker: string }> {
  const [id] = await untilLocked(network, before, 1)
  const job = await untilStatus(network, id ?? '', 'processing')
  return { id: job.id, worker: job.worker_address ?? '' }
}

Workers.run()
