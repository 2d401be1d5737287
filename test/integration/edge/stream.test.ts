import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash, publicHash } from '../../../src/domain/hash.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import { eventsOf, openChat, readAll } from '../../fakes/edge/raw-http.ts'
import { failure } from '../../fakes/edge/retried.ts'
import {
  accept,
  chat,
  chunksOf,
  completed,
  ESCROW_TX,
  MODEL,
  openStage,
  SETTLEMENT_TX,
  type Stage,
  settlementSent,
  WORKER,
} from '../../fakes/edge/stage.ts'

const Stream = suite<{ stage: Stage }>('edge: streams')
Stream.before.each(async (context) => {
  context.stage = await openStage()
})
Stream.after.each(async ({ stage }) => stage.close())

const TEXTS = ['Hel', 'lo', ' you']
const streaming = (more = {}) => chat({ stream: true, ...more })

Stream('the bytes, the headers and the trailer', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS))
    setTimeout(() => stage.say(settlementSent(jobId)), 50)
  }
  const response = await openChat(stage.url, streaming())
  assert.is(response.statusCode, 200)
  const body = await readAll(response)
  const [start] = stage.commands
  assert.ok(start?.type === 'StartJob' && start.stream)
  if (start?.type !== 'StartJob') return
  const { jobId } = start
  const { headers } = response
  assert.is(headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.is(headers['cache-control'], 'no-cache')
  assert.is(headers['x-accel-buffering'], 'no')
  assert.is(headers.trailer, 'x-svc-settlement-tx')
  assert.is(headers['x-svc-job-id'], jobId)
  assert.is(headers['x-svc-tx-hash'], ESCROW_TX)
  assert.is(headers['x-svc-worker'], WORKER)
  assert.ok(headers['x-svc-credits-remaining'])
  assert.ok(headers['x-request-id'])
  assert.is(response.trailers['x-svc-settlement-tx'], SETTLEMENT_TX)

  const created = Math.floor(start.at / 1000)
  const head =
    `data: {"id":"chatcmpl-${jobId}","object":"chat.completion.chunk",` +
    `"created":${created},"model":"${MODEL}",`
  const delta = (inside: string) =>
    `${head}"choices":[{"index":0,"delta":{${inside}},"finish_reason":null}]}\n\n`
  const service = JSON.stringify({
    job_id: jobId,
    escrow_tx: ESCROW_TX,
    settlement_tx: SETTLEMENT_TX,
    worker: WORKER,
    credits_charged: 8,
    credits_remaining: 992,
    output_hash: publicHash(outputHash(TEXTS.join(''))),
  })
  assert.is(
    body,
    delta('"role":"assistant","content":"Hel"') +
      delta('"content":"lo"') +
      delta('"content":" you"') +
      `${head}"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"svc":${service}}\n\n` +
      'data: [DONE]\n\n',
  )
})

Stream('usage comes as an extra chunk, null before', async ({ stage }) => {
  stage.play = ({ jobId }) =>
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  const body = streaming({ stream_options: { include_usage: true } })
  const events = eventsOf(await readAll(await openChat(stage.url, body)))
  assert.is(events.at(-1), '[DONE]')
  const usage = events.at(-2)
  assert.equal(usage.choices, [])
  assert.equal(usage.usage, { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 })
  assert.ok(events.slice(0, -2).every((event) => event.usage === null))
  assert.is(new Set(events.slice(0, -1).map(({ id }) => id)).size, 1)
})

Stream('no text waits for the chain', async () => {
  // The second that an answer waits for its settlement lasts twenty.
  const stage = await openStage({ clock: fastClock(0.05) })
  try {
    stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS))
    const response = await openChat(stage.url, streaming())
    const first: Buffer = (await response[Symbol.asyncIterator]().next()).value
    response.destroy()
    assert.match(first.toString(), /"content":" you"/)
    assert.not.match(first.toString(), /"svc":|\[DONE\]/)
  } finally {
    await stage.close()
  }
})

Stream('a settlement that is never sent is null, and no trailer', async ({ stage }) => {
  stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS))
  const response = await openChat(stage.url, streaming())
  const events = eventsOf(await readAll(response))
  assert.is(events.at(-2).svc.settlement_tx, null)
  assert.equal(response.trailers, {})
})

Stream('the client of the JDK, which fails at a trailer, gets none', async ({ stage }) => {
  stage.play = ({ jobId }) =>
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  const response = await openChat(stage.url, streaming(), {
    'user-agent': 'Java-http-client/17.0.21',
  })
  const events = eventsOf(await readAll(response))
  assert.is(events.at(-2).svc.settlement_tx, SETTLEMENT_TX)
  assert.is(response.headers.trailer, undefined)
  assert.equal(response.trailers, {})
})

Stream('another attempt before the first byte is one answer', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    // Held back: chunk 0 of the first attempt never came.
    stage.say(chunksOf(jobId, ['x', 'lost'], 1)[1]!)
    stage.say(...chunksOf(jobId, ['new'], 2), completed(jobId, ['new'], 2), settlementSent(jobId))
  }
  const body = await readAll(await openChat(stage.url, streaming()))
  assert.match(body, /"content":"new"/)
  assert.not.match(body, /lost/)
  assert.match(body, /\[DONE\]/)
})

Stream('another attempt after the first byte: an error event, no [DONE]', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, ['seen'], 1))
    stage.say(...chunksOf(jobId, ['new'], 2))
  }
  stage.actor = (command) => {
    const { type, jobId } = command
    if (type === 'CancelJob') stage.say(failure(jobId))
    return accept(command)
  }
  const body = await readAll(await openChat(stage.url, streaming()))
  assert.match(body, /"content":"seen"/)
  assert.not.match(body, /new|\[DONE\]/)
  const error = eventsOf(body).at(-1).error
  assert.equal([error.code, error.type, error.param], ['internal_error', 'server_error', null])
  assert.equal(
    stage.commands.map((command) => command.type === 'CancelJob' && command.torn),
    [false, true],
  )
})

Stream('one that is answered before it is stopped is told so, with its charge', async (world) => {
  const { stage } = world
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, ['seen'], 1))
    stage.say(...chunksOf(jobId, ['new'], 2), completed(jobId, ['new'], 2))
  }
  const body = await readAll(await openChat(stage.url, streaming()))
  assert.not.match(body, /"new"|\[DONE\]/)
  const { code, message, details } = eventsOf(body).at(-1).error
  assert.equal([code, details.credits_charged], ['answer_gone', 8])
  assert.match(message, /is charged/)
})

Stream('a failure mid-answer: an error event, no [DONE]', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, ['seen'], 1))
    const refusal = { code: 'internal_error', message: 'The worker was lost.' } as const
    setTimeout(() => stage.say({ type: 'failed', jobId, refusal, escrowTx: ESCROW_TX }), 20)
  }
  const body = await readAll(await openChat(stage.url, streaming()))
  assert.is(eventsOf(body).at(-1).error.message, 'The worker was lost.')
  assert.not.match(body, /\[DONE\]/)
})

Stream('a gap is mended from the stored answer, and nothing is said twice', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    const [first, , last] = chunksOf(jobId, TEXTS)
    stage.say(first!, last!, completed(jobId, TEXTS), settlementSent(jobId))
    setTimeout(() => stage.outputs.answers.set(jobId, TEXTS.join('')), 300)
  }
  const events = eventsOf(await readAll(await openChat(stage.url, streaming())))
  const text = events.slice(0, -1).map((event) => event.choices[0].delta.content ?? '')
  assert.is(text.join(''), TEXTS.join(''))
})

Stream('a gap that is only late needs no mending', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    const [first, second, last] = chunksOf(jobId, TEXTS)
    stage.say(first!, last!, completed(jobId, TEXTS), settlementSent(jobId))
    setTimeout(() => stage.say(second!), 20)
  }
  const body = await readAll(await openChat(stage.url, streaming()))
  assert.match(body, /\[DONE\]/)
})

Stream('what falls into one turn leaves as one write', async ({ stage }) => {
  stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, Array(50).fill('x')))
  const response = await openChat(stage.url, streaming())
  const first: Buffer = (await response[Symbol.asyncIterator]().next()).value
  response.destroy()
  assert.is(eventsOf(first.toString()).length, 50)
})

Stream('a comment after ten seconds of silence, not before the headers', async () => {
  const stage = await openStage({ clock: fastClock(8) })
  try {
    let sawEarly = false
    stage.play = ({ jobId }) => {
      setTimeout(() => {
        sawEarly = true
        stage.say(...chunksOf(jobId, ['x']))
      }, 1_750)
      setTimeout(() => stage.say(completed(jobId, ['x']), settlementSent(jobId)), 3_750)
    }
    const response = await openChat(stage.url, streaming())
    assert.ok(sawEarly)
    const body = await readAll(response)
    assert.match(body, /^data: .*\n\n:\n\ndata: /)
    assert.is(body.match(/^:$/gm)?.length, 1)
  } finally {
    await stage.close()
  }
})

Stream('a slow reader gets everything', async ({ stage }) => {
  const texts = Array.from({ length: 60 }, (_, i) => String(i % 10).repeat(64 * 1024))
  stage.play = async ({ jobId }) => {
    for (const chunk of chunksOf(jobId, texts)) {
      stage.say(chunk)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    stage.say(completed(jobId, texts), settlementSent(jobId))
  }
  const response = await openChat(stage.url, streaming())
  response.setEncoding('utf8')
  let body = ''
  for await (const part of response) {
    body += part
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const events = eventsOf(body)
  assert.is(events.at(-1), '[DONE]')
  const length = events
    .slice(0, -1)
    .reduce((sum, event) => sum + (event.choices[0].delta.content?.length ?? 0), 0)
  assert.is(length, 60 * 64 * 1024)
})

Stream.run()
