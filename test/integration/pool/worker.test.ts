import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../../src/domain/hash.ts'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { completionDigest, recover } from '../../../src/domain/proof.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { EDGE, ESCROW_SEPARATOR, ESCROW_TX, identity, MODEL } from '../../fakes/pool/stage.ts'
import { stream } from '../../fakes/pool/upstream.ts'
import { SOON_MS, until } from '../../until.ts'

const Jobs = suite('pool and worker: jobs')

Jobs(
  'an answer goes out in order, is proven, and told to the job',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve()
    const sampling = { temperature: 0.5, top_p: 0.9, stop: ['X'], seed: 7, presence_penalty: 1 }
    const messages = [
      { role: 'system' as const, content: 'be kind' },
      { role: 'user' as const, content: 'grüße 😀' },
    ]
    const { jobId, reply } = await stage.offer({}, { sampling, messages })
    assert.equal(reply, { type: 'taken' })
    const done = await stage.hears(jobId, 'CompleteJob')
    const text = 'Hello, world'
    assert.is(stage.textOf(jobId), text)
    assert.equal(done.usage, { promptTokens: 9, completionTokens: 3 })
    assert.is(done.finishReason, 'stop')
    assert.is(done.outputHash, outputHash(text))
    assert.is(done.worker, identity(1).address)
    assert.is(done.workerId, 1)
    const signed = {
      jobId,
      outputHash: done.outputHash,
      outputTokens: 3,
      completedAt: done.completedAt,
    }
    const signer = recover(completionDigest(ESCROW_SEPARATOR, signed), done.signature)
    assert.is(signer, identity(1).address)
    const chunks = stage.chunksOf(jobId)
    assert.equal(
      chunks.map(({ seq }) => seq),
      chunks.map((_, i) => i),
    )
    assert.is(done.chunks, chunks.length)
    assert.equal(chunks[0]?.head, { worker: identity(1).address, escrowTx: ESCROW_TX })
    assert.ok(chunks.slice(1).every(({ head }) => head === undefined))
    assert.equal((await stage.hears(jobId, 'AssignWorker')).worker, identity(1).address)
    assert.is(await stage.outputs.answer(jobId), text)
    assert.equal(upstream.requests[0], {
      model: 'qwen3:8b',
      messages,
      ...sampling,
      max_tokens: 1_000,
      stream: true,
      stream_options: { include_usage: true },
    })
  }),
)

Jobs(
  'an empty answer still brings the edge its head',
  inHouse(async ({ stage, serve }) => {
    await serve((_request, response) => stream(response, []))
    const { jobId } = await stage.offer()
    assert.is((await stage.hears(jobId, 'CompleteJob')).chunks, 1)
    assert.is(stage.chunksOf(jobId)[0]?.text, '')
    assert.ok(stage.chunksOf(jobId)[0]?.head)
  }),
)

Jobs(
  'the same attempt offered twice runs once; a later one replaces it',
  inHouse(async ({ stage, serve, upstream }) => {
    // The first attempt must not end before it is replaced.
    await serve((_request, response) => stream(response, Array(300).fill('a '), { everyMs: 100 }))
    const { job, jobId } = await stage.offer()
    assert.equal((await stage.offer(job)).reply, { type: 'taken' })
    await until('the upstream to be asked', () => upstream.requests.length > 0, SOON_MS)
    await stage.agent(makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 10, tokenMs: 1 }), {
      key: 2,
    })
    const retry = await stage.offer({ ...job, attempt: 2, exclude: [identity(1).address] })
    assert.equal(retry.reply, { type: 'taken' })
    const done = await stage.hears(jobId, 'CompleteJob')
    assert.is(done.attempt, 2)
    assert.is(done.worker, identity(2).address)
    await until('the old attempt to let go', () => stage.load()?.busy === 0, SOON_MS)
    assert.is(upstream.requests.length, 1)
    assert.is(stage.told.filter(({ type }) => type === 'CompleteJob').length, 1)
    assert.equal((await stage.offer(job)).reply, { type: 'taken' })
  }),
)

Jobs(
  'nobody serves the model, or only excluded workers do: refused at once',
  inHouse(async ({ stage, serve }) => {
    const refused = { type: 'refused', reason: 'no_worker' }
    assert.equal((await stage.offer()).reply, refused)
    await serve()
    assert.equal((await stage.offer({ exclude: [identity(1).address] })).reply, refused)
    assert.equal((await stage.offer({ model: 'Qwen/Qwen3-14B' })).reply, refused)
  }),
)

Jobs(
  'more jobs than slots: they wait and all are done',
  inHouse(async ({ stage }) => {
    await stage.agent(makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 20, tokenMs: 1 }), {
      slots: 2,
    })
    const offers = await Promise.all(Array.from({ length: 10 }, () => stage.offer()))
    for (const { jobId, reply } of offers) {
      assert.equal(reply, { type: 'taken' })
      const done = await stage.hears(jobId, 'CompleteJob')
      assert.is(done.outputHash, outputHash(stage.textOf(jobId)))
    }
  }),
)

Jobs(
  'a prompt that is gone is told',
  inHouse(async ({ stage, serve }) => {
    await serve()
    const { jobId } = await stage.offer({}, null)
    const { reason, textSent } = await stage.hears(jobId, 'FailWorker')
    assert.equal([reason, textSent], ['prompt_lost', false])
  }),
)

Jobs(
  'a prompt that did not come with the offer is asked of the edge that waits with it',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve()
    const messages = [{ role: 'user' as const, content: 'kept by the edge' }]
    stage.bus.subscribe(SUBJECTS.edgePrompt(EDGE), (_ask, _subject, respond) => {
      respond({ model: MODEL, messages, sampling: {} })
    })
    const { jobId } = await stage.offer({}, null)
    await stage.hears(jobId, 'CompleteJob')
    assert.match(JSON.stringify(upstream.requests), 'kept by the edge')
  }),
)

Jobs(
  'what is no prompt ends its job, and no more',
  inHouse(async ({ stage, serve }) => {
    await serve()
    const { jobId } = await stage.offer({ prompt: { messages: 5 } as never })
    const { reason } = await stage.hears(jobId, 'FailWorker')
    assert.is(reason, 'prompt_lost')
    const next = await stage.offer()
    await stage.hears(next.jobId, 'CompleteJob')
  }),
)

Jobs(
  'a job that does not answer is told again',
  inHouse(async ({ stage, serve }) => {
    await serve()
    stage.deafFor = 3
    const { jobId } = await stage.offer()
    stage.bus.answerMs = 50
    await stage.hears(jobId, 'CompleteJob')
  }),
)

Jobs.run()
