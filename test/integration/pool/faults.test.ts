import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import type { Lies } from '../../fakes/pool/rogue.ts'
import { identity } from '../../fakes/pool/stage.ts'
import { type Answer, data, stream } from '../../fakes/pool/upstream.ts'
import { pause, SOON_MS, until } from '../../until.ts'

const Faults = suite('pool and worker: faults')

Faults(
  'a prompt beyond the context is the caller’s; other refusals carry the upstream’s word',
  inHouse(async ({ stage, serve, upstream }) => {
    const says = (status: number, message: string): Answer => {
      return (_request, response) => {
        response.statusCode = status
        response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
      }
    }
    const long = "This model's maximum context length is 32768 tokens"
    await serve(says(400, long))
    const fails = async () => {
      const { jobId } = await stage.offer()
      const { reason } = await stage.hears(jobId, 'FailWorker')
      return [reason, stage.outputs.refusals.get(jobId)]
    }
    assert.equal(await fails(), ['context_length_exceeded', long])
    upstream.answer = says(422, 'top_p must be positive')
    assert.equal(await fails(), ['prompt_refused', 'top_p must be positive'])
    upstream.answer = says(500, 'out of memory')
    assert.equal(await fails(), ['worker_error', undefined])
  }),
)

Faults(
  'what a worker says of a prompt is one short line, and nothing of it is told to the job',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => {
      const message = `top_p\n\u0000${'is wrong '.repeat(1_000_000)}`
      worker.say({ $case: 'accept', value: { jobId } })
      worker.say({ $case: 'failure', value: { jobId, reason: 3, message } })
    }
    const { jobId } = await stage.offer()
    const told = await stage.hears(jobId, 'FailWorker')
    assert.is(told.reason, 'prompt_refused')
    assert.not.match(JSON.stringify(told), 'top_p')
    const words = stage.outputs.refusals.get(jobId) ?? ''
    assert.match(words, /^top_p is wrong is wrong/)
    assert.ok(words.length <= 300)
  }),
)

Faults(
  'prompt and cap together pass the context: asked again without the cap, and kept to it',
  inHouse(async ({ stage, serve }) => {
    await serve((request, response) => {
      if (!('max_tokens' in request)) {
        return stream(response, Array(50).fill('a '), { everyMs: 2, usage: null })
      }
      response.statusCode = 400
      response.end(JSON.stringify({ error: { message: 'maximum context length is 100 tokens' } }))
    })
    const { jobId } = await stage.offer({ outputTokensMax: 10 })
    const done = await stage.hears(jobId, 'CompleteJob')
    assert.is(done.usage.completionTokens, 10)
    assert.is(done.finishReason, 'length')
  }),
)

Faults(
  'an upstream that breaks off is a worker error; what it said is known to have been sent',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve((_request, response) =>
      stream(response, ['a'], { finishReason: null, everyMs: 20 }),
    )
    const cut = await stage.hears((await stage.offer()).jobId, 'FailWorker')
    assert.equal([cut.reason, cut.textSent], ['worker_error', true])
    upstream.answer = (_request, response) => response.destroy()
    const gone = await stage.hears((await stage.offer()).jobId, 'FailWorker')
    assert.equal([gone.reason, gone.textSent], ['worker_error', false])
    await pause(300)
    upstream.answer = (_request, response) => {
      response.write(data({ error: { message: 'engine died' } }))
      response.end()
    }
    const said = await stage.hears((await stage.offer()).jobId, 'FailWorker')
    assert.equal([said.reason, said.textSent], ['worker_error', false])
  }),
)

Faults(
  'a false proof is refused, whichever part of it is false',
  inHouse(async ({ stage, rogue }) => {
    const lies: readonly Lies[] = [
      { hashOf: 'another text' },
      { signedBy: 8 },
      { outputTokens: 1_001 },
      { clockAheadSeconds: 200 },
      { clockAheadSeconds: -200 },
      { chunks: 2 },
    ]
    for (const [i, lie] of lies.entries()) {
      const worker = await rogue(10 + i)
      worker.onOffer = ({ jobId }) => {
        worker.accept(jobId)
        worker.chunk(jobId, 0, 'some text')
        worker.complete(jobId, 'some text', 1, lie)
      }
      const { jobId } = await stage.offer()
      const { reason, textSent } = await stage.hears(jobId, 'FailWorker')
      assert.equal([reason, textSent], ['bad_proof', true], JSON.stringify(lie))
      worker.vanish()
      await until('the rogue to be gone', () => stage.workers() === 0, SOON_MS)
    }
    const honest = await rogue(9)
    honest.onOffer = ({ jobId }) => {
      honest.accept(jobId)
      honest.chunk(jobId, 0, 'some text\n')
      honest.complete(jobId, 'some text\n', 1)
    }
    await stage.hears((await stage.offer()).jobId, 'CompleteJob')
  }),
)

Faults(
  'a character that is cut in two over two chunks: the worker is told what was wrong',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    let reason = ''
    worker.onStanding = (standing) => {
      reason = standing.reason
    }
    worker.onOffer = ({ jobId }) => {
      const text = 'a 😀'
      worker.accept(jobId)
      worker.chunk(jobId, 0, text.slice(0, 3))
      worker.chunk(jobId, 1, text.slice(3))
      worker.complete(jobId, text, 2)
    }
    await stage.hears((await stage.offer()).jobId, 'FailWorker')
    await until('it to be told', () => /a character in it was cut in two/.test(reason), SOON_MS)
  }),
)

Faults(
  'a gap in the chunks fails the attempt',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.chunk(jobId, 0, 'a')
      worker.chunk(jobId, 2, 'c')
    }
    const { jobId } = await stage.offer()
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'worker_error')
    await until('a cancel', () => worker.cancels.length > 0, SOON_MS)
    assert.equal(worker.cancels, [{ jobId, settle: false }])
  }),
)

Faults(
  'a worker that vanishes mid-answer is told, with what had been sent',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9, { slots: 2 })
    worker.onOffer = ({ jobId }) => worker.accept(jobId)
    const [a, b] = [await stage.offer(), await stage.offer()]
    await until('both offers', () => worker.offers.length === 2, SOON_MS)
    worker.chunk(a.jobId, 0, 'some')
    await until('the chunk', () => stage.textOf(a.jobId) === 'some', SOON_MS)
    worker.vanish()
    const first = await stage.hears(a.jobId, 'FailWorker')
    assert.equal([first.reason, first.textSent], ['worker_lost', true])
    const second = await stage.hears(b.jobId, 'FailWorker')
    assert.equal([second.reason, second.textSent], ['worker_lost', false])
  }),
)

Faults(
  'refused or not answered: another worker gets it, and the job is not bothered',
  inHouse(async ({ stage, rogue }) => {
    const silent = await rogue(9)
    const { jobId } = await stage.offer()
    const busy = await rogue(10)
    busy.onOffer = (offer) => {
      busy.say({ $case: 'refusal', value: { jobId: offer.jobId, reason: 1 } })
    }
    await until('the offer to pass on', () => busy.offers.length === 1, SOON_MS)
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'worker_refused')
    assert.is(stage.told.length, 1)
    await until('the silent one to be told', () => silent.cancels.length > 0, SOON_MS)
    assert.equal(silent.cancels, [{ jobId, settle: false }])
    await stage.agent(makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 5, tokenMs: 1 }))
    const next = await stage.offer({ exclude: [silent.address] })
    const done = await stage.hears(next.jobId, 'CompleteJob')
    assert.is(done.worker, identity(1).address)
  }),
)

Faults(
  'a worker whose engine has no room is not at fault, unless some of its text has come',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    const overloaded = (from: typeof worker, jobId: string) =>
      from.say({ $case: 'failure', value: { jobId, reason: 7, message: 'no room' } })
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      overloaded(worker, jobId)
    }
    const { jobId } = await stage.offer()
    const { reason, workers } = await stage.hears(jobId, 'FailWorker')
    assert.equal([reason, workers], ['worker_overloaded', [worker.address]])
    const begun = await rogue(10)
    begun.onOffer = (offer) => {
      begun.accept(offer.jobId)
      begun.chunk(offer.jobId, 0, 'some')
      overloaded(begun, offer.jobId)
    }
    const next = await stage.offer({ exclude: [worker.address] })
    const cut = await stage.hears(next.jobId, 'FailWorker')
    assert.equal([cut.reason, cut.textSent], ['worker_error', true])
  }),
)

Faults(
  'a job that its only worker refuses once it has accepted it fails at once',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.say({ $case: 'refusal', value: { jobId, reason: 1 } })
    }
    const { jobId } = await stage.offer()
    const { reason, workers } = await stage.hears(jobId, 'FailWorker', 5_000)
    assert.equal([reason, workers], ['worker_error', [worker.address]])
  }),
)

type InHouse = Parameters<Parameters<typeof inHouse>[0]>[0]

/** A worker that has too much to do with its first job to answer in time for the next one, which is offered. */
async function overwork({ stage, rogue }: InHouse) {
  const worker = await rogue(9, { slots: 2 })
  let words = 0
  let writing: NodeJS.Timeout | undefined
  worker.onOffer = ({ jobId }) => {
    if (worker.offers.length > 1) return
    worker.accept(jobId)
    writing = setInterval(() => worker.chunk(jobId, words++, 'word '), 100)
  }
  await stage.offer()
  const { jobId } = await stage.offer()
  await until('both offers', () => worker.offers.length === 2, SOON_MS)
  return { worker, jobId, rest: () => clearInterval(writing) }
}

Faults(
  'a worker that is busy with other jobs may answer late where nobody else can take this one',
  inHouse(async (house) => {
    const { worker, jobId, rest } = await overwork(house)
    await pause(3_000)
    assert.equal(worker.cancels, [])
    rest()
    worker.accept(jobId)
    assert.is((await house.stage.hears(jobId, 'AssignWorker')).worker, worker.address)
  }),
)

Faults(
  'a busy worker that answers late loses the job to one that may take it',
  inHouse(async (house) => {
    const { jobId, rest } = await overwork(house)
    const other = await house.rogue(10)
    other.onOffer = (offer) => other.accept(offer.jobId)
    assert.is((await house.stage.hears(jobId, 'AssignWorker')).worker, other.address)
    rest()
  }),
)

Faults(
  'the last worker leaves while jobs wait: no_worker',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => worker.accept(jobId)
    await stage.offer()
    const { jobId } = await stage.offer()
    worker.vanish()
    const { reason, textSent } = await stage.hears(jobId, 'FailWorker')
    assert.equal([reason, textSent], ['no_worker', false])
  }),
)

Faults.run()
