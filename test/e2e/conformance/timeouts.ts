import * as assert from 'uvu/assert'
import { pause } from '../../until.ts'
import { type Answer, chat } from '../customer.ts'
import type { Job } from '../public-shapes.ts'
import { streamed } from '../streamed.ts'
import { inTurn } from '../upstream-replies.ts'
import { checkError } from './envelope.ts'
import { ASK, held, type Life, type LifeRow, PRICE, WINDOW_SECONDS } from './life-stage.ts'

/** Jobs whose window ended before they did. */
export interface Late {
  /** A plain request whose worker never finished, and one that no worker took. */
  readonly answers: readonly Answer[]
  /** A stream whose worker never finished. */
  readonly stream: Answer
  /** The one that no worker took, shortly before its window ended. */
  readonly waitedAs: string
  /** In the order of the answers, the stream's last. */
  readonly jobs: readonly Job[]
  readonly tookSeconds: number
  readonly before: number
}

export async function lateJobs(life: Life): Promise<Late> {
  const { customer } = life
  const before = await life.atRest()
  // Begun, so that they are not taken to another worker.
  const stuck = [held({ first: ['a'] }), held({ first: ['b'] })]
  life.says(inTurn(...stuck.map(({ reply }) => reply)))
  const began = performance.now()
  const plain = chat(customer, ASK)
  const stream = chat(customer, { ...ASK, stream: true })
  await Promise.all(stuck.map(({ reached }) => reached))
  const locks = await life.locks()
  const waiting = chat(customer, ASK)
  const waitingId = await life.nextLock(locks)
  await pause((WINDOW_SECONDS - 10) * 1_000)
  const { status: waitedAs } = await life.job(waitingId)
  const all = await Promise.all([plain, waiting, stream])
  const tookSeconds = (performance.now() - began) / 1000
  const ids = all.map(({ headers }) => String(headers['x-svc-job-id']))
  const jobs = await Promise.all(ids.map((id) => life.refunded(id)))
  for (const { goOn } of stuck) goOn()
  return { answers: all.slice(0, 2), stream: all[2], waitedAs, jobs, tookSeconds, before }
}

export function lateRows(row: LifeRow, late: () => Promise<Late>, life: () => Life): void {
  const errors = async () => {
    const { answers, stream } = await late()
    const wanted = { status: 504, code: 'job_timeout', param: null }
    const { error, isDone } = streamed(stream)
    if (!error) throw new Error('the stream ended without an error')
    assert.not(isDone)
    checkError(error, undefined, life().network.docs_url)
    return [...answers.map((answer) => life().is(answer, wanted)), error]
  }
  row('Job status', 'refunded: the timeout hit and the credits went back', async () => {
    for (const { status } of (await late()).jobs) assert.is(status, 'refunded')
  })
  row(
    'Moves shown',
    'timeout: refunded, credits return, 504 job_timeout with refund_tx',
    async () => {
      const { jobs, before } = await late()
      for (const [i, { details }] of (await errors()).entries()) {
        assert.is(details?.refund_tx, jobs[i]?.on_chain.refund_tx)
      }
      await life().hasAgain(before)
    },
  )
  row('Moves (choice)', 'pending to refunded: a job that no worker took in time', async () => {
    const { jobs, waitedAs } = await late()
    assert.is(waitedAs, 'pending')
    assert.is(jobs[1]?.status, 'refunded')
  })
  row('Moves (choice)', 'a worker that finishes after the window is not paid', async () => {
    const { chain } = life()
    const { jobs } = await late()
    const { id: other } = await life().answer('the workers are free again')
    await life().settles(other)
    for (const { id } of jobs) {
      assert.is(await chain.settlement(id), undefined)
      assert.ok(await chain.refund(id))
      assert.is((await life().job(id)).status, 'refunded')
    }
  })
  row('HTTP statuses', '504: job timed out, credits returned', async () => {
    for (const { status } of (await late()).answers) assert.is(status, 504)
    for (const { type } of await errors()) assert.is(type, 'timeout_error')
  })
  row(
    'Error codes',
    'job_timeout 504 with details job_id, credits_refunded, refund_tx',
    async () => {
      const { jobs } = await late()
      for (const [i, { details }] of (await errors()).entries()) {
        const { id, on_chain } = jobs[i]!
        const { refund_tx } = on_chain
        assert.equal(details, { job_id: id, credits_refunded: PRICE, refund_tx })
      }
    },
  )
  row('Retry rules', 'a 504 has already refunded the credits', async () => {
    for (const { details } of await errors()) {
      assert.ok(await life().chain.succeeded(details?.refund_tx as `0x${string}`))
    }
  })
  row('Limits', 'Job window: refund and 504', async () => {
    const { tookSeconds } = await late()
    const isInTime = tookSeconds >= WINDOW_SECONDS - 0.1 && tookSeconds < WINDOW_SECONDS + 30
    assert.ok(isInTime, `${tookSeconds} s`)
  })
}
