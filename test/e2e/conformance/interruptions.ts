import * as assert from 'uvu/assert'
import { stream } from '../../fakes/pool/upstream.ts'
import { hashOf } from '../calls.ts'
import { type Answer, bodyOf, chat, send } from '../customer.ts'
import type { Completion } from '../public-shapes.ts'
import { streamed } from '../streamed.ts'
import { killAndWait, untilServed, workerIndex } from '../until.ts'
import { diesAfter, inTurn, refuses, says } from '../upstream-replies.ts'
import { checkError } from './envelope.ts'
import {
  ASK,
  held,
  type Life,
  type LifeRow,
  MODEL,
  OTHER_MODEL,
  openStream,
  PRICE,
  UNSERVED_MODEL,
} from './life-stage.ts'

/** Callers that leave, streams that break, workers that are lost or not there. */
export function interruptionRows(row: LifeRow, life: () => Life): void {
  hangUpRows(row, life)
  streamRows(row, life)
  workerRows(row, life)
  capacityRows(row, life)
}

function hangUpRows(row: LifeRow, life: () => Life): void {
  row(
    'Price (choice)',
    'hang-up, nothing generated: cancelled, all credits back, failed',
    async () => {
      const { customer, chain } = life()
      const before = await life().atRest()
      const silent = held()
      life().says(silent.reply)
      const locks = await life().locks()
      const leaving = new AbortController()
      const asked = fetch(`${customer.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(ASK),
        signal: leaving.signal,
      })
      await silent.reached
      leaving.abort()
      await asked.then(
        () => assert.unreachable('nothing was said'),
        (error: Error) => assert.is(error.name, 'AbortError'),
      )
      const job = await life().refunded(await life().nextLock(locks))
      assert.is(job.status, 'failed')
      assert.is((await chain.refund(job.id))?.args.credits, PRICE)
      await life().hasAgain(before)
      silent.goOn()
    },
  )
  row(
    'Price (choice)',
    'hang-up mid-answer: what was generated is proven, charged and settled',
    async () => {
      const begun = held({ first: ['Once', ' upon'] })
      life().says(begun.reply)
      const open = await openStream(life())
      await open.until('upon')
      open.leave()
      const job = await life().settles(open.jobId)
      assert.is(job.credits_charged, PRICE)
      assert.is(job.on_chain.proof_hash, hashOf('Once upon'))
      begun.goOn()
    },
  )
}

function streamRows(row: LifeRow, life: () => Life): void {
  row(
    'Streaming (choice)',
    'after headers a failure is an error event, then the end without [DONE]',
    async () => {
      const { customer, network } = life()
      life().says(diesAfter('Once', ' upon'))
      const answer = await chat(customer, { ...ASK, stream: true })
      assert.is(answer.status, 200)
      const { text, error, isDone, service } = streamed(answer)
      assert.is(text, 'Once upon')
      assert.not(isDone)
      assert.is(service, undefined)
      checkError(error!, undefined, network.docs_url)
      assert.equal(Object.keys(JSON.parse(lastEvent(answer))), ['error'])
      await life().refunded(String(answer.headers['x-svc-job-id']))
    },
  )
  row('Streaming (choice)', 'finish_reason content_filter passes', async () => {
    life().says((_request, response) =>
      stream(response, ['No'], { finishReason: 'content_filter' }),
    )
    const { choices, id }: Completion = bodyOf(await chat(life().customer, ASK))
    assert.is(choices[0].finish_reason, 'content_filter')
    await life().settles(id.replace('chatcmpl-', ''))
  })
  row('Streaming (choice)', 'comment lines only after 10 s of silence', async () => {
    const slow = held({ first: ['Wait'], rest: [' for it'] })
    life().says(slow.reply)
    const open = await openStream(life())
    await open.until('Wait')
    const began = performance.now()
    const read = await open.until('\n:')
    const silentMs = performance.now() - began
    assert.match(read, /\n:[^\n]*\n\n$/)
    // What came before may have been read late.
    assert.ok(silentMs >= 8_000, `a comment after ${silentMs} ms`)
    slow.goOn()
    const whole = await open.whole()
    assert.is(whole.match(/^:/gm)?.length, 1)
    assert.ok(whole.endsWith('data: [DONE]\n\n'))
    await life().settles(open.jobId)
  })
  row('Streaming (choice)', 'no text waits for the chain', async () => {
    const begun = held({ first: ['Once'], rest: [' upon', ' a time'] })
    life().says(begun.reply)
    const open = await openStream(life())
    await open.until('Once')
    await life().setMining(false)
    try {
      begun.goOn()
      const began = performance.now()
      const read = await open.whole()
      const tookMs = performance.now() - began
      assert.ok(read.endsWith('data: [DONE]\n\n'))
      // A hash is waited for at most a second, a block never.
      assert.ok(tookMs < 20_000, `the end took ${tookMs} ms`)
    } finally {
      await life().setMining(true)
    }
    await life().settles(open.jobId)
  })
}

const lastEvent = ({ text }: Answer): string =>
  text
    .trimEnd()
    .split('\n\n')
    .at(-1)
    ?.replace(/^data: /, '') ?? ''

function workerRows(row: LifeRow, life: () => Life): void {
  const killWorkerOf = async (jobId: string) => {
    const { network } = life()
    const { worker_address } = await life().becomes(jobId, 'processing')
    await killAndWait(network, 'worker', workerIndex(network, worker_address ?? ''))
    return worker_address
  }
  row(
    'Price (choice)',
    'worker lost, nothing sent: another worker, the same lock, one answer',
    async () => {
      const lost = held()
      life().says(inTurn(lost.reply, says('second', ' try')))
      const before = await life().locks()
      const asked = chat(life().customer, ASK)
      await lost.reached
      const id = await life().nextLock(before)
      const worker = await killWorkerOf(id)
      const { choices }: Completion = bodyOf(await asked)
      assert.is(choices[0].message.content, 'second try')
      const job = await life().settles(id)
      assert.is.not(job.worker_address, worker)
      assert.equal(await life().locks(), [...before, id])
      lost.goOn()
      await untilServed(life().network, MODEL, 2)
    },
  )
  row(
    'Price (choice)',
    'worker lost mid-answer: failed, all credits back, an error event and no [DONE]',
    async () => {
      const lost = held({ first: ['Once'] })
      life().says(lost.reply)
      const open = await openStream(life())
      await open.until('Once')
      await killWorkerOf(open.jobId)
      const read = await open.whole()
      assert.not.match(read, '[DONE]')
      const { error } = JSON.parse(read.trimEnd().split('\n\n').at(-1)?.slice(6) ?? '')
      checkError(error, undefined, life().network.docs_url)
      const job = await life().refunded(open.jobId)
      assert.is(job.status, 'failed')
      assert.is((await life().chain.refund(open.jobId))?.args.credits, PRICE)
      lost.goOn()
      await untilServed(life().network, MODEL, 2)
    },
  )
}

function capacityRows(row: LifeRow, life: () => Life): void {
  const unserved = async () => {
    const answer = await chat(life().customer, { ...ASK, model: UNSERVED_MODEL })
    const wanted = { status: 503, code: 'no_workers_available' }
    return { error: life().is(answer, wanted), answer }
  }
  row('HTTP statuses', '503: no worker hosts the requested model', async () => {
    const { error, answer } = await unserved()
    assert.is(error.type, 'capacity_error')
    assert.is(answer.headers['x-svc-job-id'], undefined, 'no credit moves')
  })
  row('Error codes', 'no_workers_available 503 with details model, retry_after', async () => {
    const { details } = (await unserved()).error
    assert.is(details?.model, UNSERVED_MODEL)
    assert.ok(Number(details?.retry_after) >= 1)
  })
  row('Retry rules', 'a 503 tells when to retry', async () => {
    const { error, answer } = await unserved()
    assert.is(answer.headers['retry-after'], String(error.details?.retry_after))
  })
  row('Error codes', 'context_length_exceeded 400 from the worker: all credits back', async () => {
    const before = await life().atRest()
    const code = 'context_length_exceeded'
    life().says(refuses(400, { message: 'maximum context length is 10 tokens', code }))
    const answer = await chat(life().customer, ASK)
    life().is(answer, { status: 400, code, param: 'messages' })
    const job = await life().refunded(String(answer.headers['x-svc-job-id']))
    assert.is(job.status, 'failed')
    await life().hasAgain(before)
  })
  row('Model', 'a model is listed only while at least one worker hosts it', async () => {
    const { network, upstream, customer } = life()
    const restart = async (models: readonly string[]) => {
      upstream.models = models
      for (const index of [0, 1]) await killAndWait(network, 'worker', index)
      for (const model of models) await untilServed(network, model, 2)
    }
    const isListed = async () => (await send(customer, `/models/${MODEL}`)).status
    await restart([OTHER_MODEL])
    life().is(await send(customer, `/models/${MODEL}`), { status: 404, code: 'model_not_found' })
    const { data } = bodyOf<{ data: { id: string }[] }>(await send(customer, '/models'))
    assert.equal(
      data.map(({ id }) => id),
      [OTHER_MODEL],
    )
    const gone = await chat(customer, ASK)
    life().is(gone, { status: 503, code: 'no_workers_available' })
    await restart([MODEL, OTHER_MODEL])
    assert.is(await isListed(), 200)
    const { id } = await life().answer('It is back.')
    await life().settles(id)
  })
}
