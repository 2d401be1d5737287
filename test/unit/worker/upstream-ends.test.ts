import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EngineFault, type EngineJob, type Piece } from '../../../src/worker/engine.ts'
import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { type Answer, data, stream, Upstream } from '../../fakes/pool/upstream.ts'

/** How an upstream may begin late, end early, or not be there, and what is made of that. */
const Ends = suite('how an upstream begins and ends')

const MODEL = 'Qwen/Qwen3-8B'
const JOB = {
  model: MODEL,
  messages: [{ role: 'user' as const, content: 'Hi' }],
  sampling: {},
  outputTokensMax: 1_000,
}
/** Far above what a pause of the machine may be, and far below what is waited for here. */
const SILENCE_MS = 500
const FIRST_BYTE_MS = 2_500

let upstream: Upstream
let engine: OpenAiEngine

const settings = () => ({
  url: upstream.url,
  apiKey: '',
  wanted: [],
  silenceMs: SILENCE_MS,
  firstByteMs: FIRST_BYTE_MS,
  log: pino({ level: 'silent' }),
})

Ends.before.each(async () => {
  upstream = await new Upstream(['qwen3:8b']).open()
  engine = new OpenAiEngine(settings())
  await engine.models()
})
Ends.after.each(async () => {
  await engine.close()
  await upstream.close()
})

async function answered(answer: Answer, more: Partial<EngineJob> = {}) {
  upstream.answer = answer
  let text = ''
  let last: Piece | undefined
  const job = { ...JOB, ...more }
  for await (const piece of engine.generate(job, new AbortController().signal)) {
    text += piece.text
    last = piece
  }
  return { text, ...last?.ending }
}
async function failed(answer: Answer): Promise<EngineFault> {
  const fault = await answered(answer).catch((error: unknown) => error)
  assert.instance(fault, EngineFault)
  return fault as EngineFault
}

const delta = (delta: object, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta, finish_reason }] })
const usage = data({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 40 } })
const open = (response: ServerResponse, ...events: string[]) => {
  response.setHeader('content-type', 'text/event-stream')
  response.flushHeaders()
  for (const event of events) response.write(event)
}

Ends('a prompt may be read for longer than an answer may be silent', async () => {
  for (const early of [[], [delta({ role: 'assistant', content: '' })]]) {
    const { text } = await answered(async (_request, response) => {
      open(response, ...early)
      await sleep(2 * SILENCE_MS)
      await stream(response, ['late'])
    })
    assert.is(text, 'late')
  }
})

Ends('silence in the middle, of the answer or of the thinking, is a fault', async () => {
  for (const word of [{ content: 'a' }, { reasoning_content: 'hm' }]) {
    const began = performance.now()
    const { kind } = await failed((_request, response) => open(response, delta(word)))
    assert.is(kind, 'engine')
    assert.ok(performance.now() - began < FIRST_BYTE_MS, 'the shorter limit')
  }
})

Ends('headers alone are no answer for ever', async () => {
  const { kind } = await failed((_request, response) => open(response))
  assert.is(kind, 'engine')
})

Ends('an answer that was whole when the connection broke is whole', async () => {
  const said = [delta({ content: 'a' }), delta({}, 'length')]
  for (const [more, completionTokens] of [
    [[], 1],
    [[usage], 40],
    [[usage, 'data: [DO'], 40],
  ] as const) {
    const answer = await answered(async (_request, response) => {
      open(response, ...said, ...more)
      await sleep(50)
      response.destroy()
    })
    assert.is(answer.text, 'a')
    assert.is(answer.finishReason, 'length')
    assert.is(answer.usage?.completionTokens, completionTokens)
  }
})

Ends(
  'an answer that is whole is waited for no longer, though its connection stays open',
  async () => {
    const patient = new OpenAiEngine({ ...settings(), silenceMs: 60_000, firstByteMs: 60_000 })
    await patient.models()
    const whole = [delta({ content: 'a' }), delta({}, 'stop')]
    for (const end of ['data: [DONE]', 'data: [DONE]\n', usage]) {
      upstream.answer = (_request, response) => open(response, ...whole, end)
      let text = ''
      for await (const piece of patient.generate(JOB, AbortSignal.timeout(20_000)))
        text += piece.text
      assert.is(text, 'a')
    }
    await patient.close()
  },
)

/** Says what keeps a connection open, for longer than any answer is waited for, until it is left. */
async function ping(response: ServerResponse): Promise<void> {
  const until = performance.now() + 4 * FIRST_BYTE_MS
  while (performance.now() < until && !response.destroyed) {
    response.write(': ping\n\n')
    await sleep(50)
  }
  assert.ok(response.destroyed)
}

Ends('what keeps a connection open is silence', async () => {
  const whole = await answered((_request, response) => {
    open(response, delta({ content: 'a' }), delta({}, 'stop'))
    return ping(response)
  })
  assert.is(whole.text, 'a')
  assert.is(whole.finishReason, 'stop')
  for (const early of [[], [delta({ content: 'a' })]]) {
    const { kind } = await failed((_request, response) => {
      open(response, ...early)
      return ping(response)
    })
    assert.is(kind, 'engine')
  }
})

Ends('a refusal that breaks off is still one of its status', async () => {
  const cut =
    (status: number, words: string) => async (_request: unknown, response: ServerResponse) => {
      response.writeHead(status, { 'content-length': 2_000 })
      response.write(words)
      await sleep(50)
      response.destroy()
    }
  const { kind, message } = await failed(cut(500, '{"error"'))
  assert.is(kind, 'engine')
  assert.match(message, 'upstream answered 500')
  assert.is((await failed(cut(400, 'maximum context'))).kind, 'context_length')
})

Ends(
  'a context that is too small may be told with status 200: asked again without a cap',
  async () => {
    const told = { object: 'error', message: 'maximum context length is 10', code: 400 }
    for (const body of [data(told), JSON.stringify(told)]) {
      upstream.requests.length = 0
      const { kind } = await failed((_request, response) => response.end(body))
      assert.is(kind, 'context_length')
      assert.equal(
        upstream.requests.map(({ max_tokens }) => max_tokens),
        [1_000, undefined],
      )
    }
  },
)

Ends('a server that knows no stream_options is asked without them', async () => {
  const loc = ['body', 'stream_options', 'include_usage']
  const refusal = {
    detail: [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' }],
  }
  const { text } = await answered((request, response) => {
    if (!('stream_options' in request)) return stream(response, ['a'])
    response.writeHead(422).end(JSON.stringify({ object: 'error', message: refusal }))
  })
  assert.is(text, 'a')
  assert.equal(
    upstream.requests.map(({ max_tokens }) => max_tokens),
    [1_000, 1_000],
  )
})

Ends('a server that refuses both is asked without either', async () => {
  const { text } = await answered((request, response) => {
    const message =
      'stream_options' in request ? 'unknown: stream_options' : 'maximum context is 10'
    const isRefused = 'stream_options' in request || 'max_tokens' in request
    if (!isRefused) return stream(response, ['a'])
    response.writeHead(400).end(JSON.stringify({ object: 'error', message }))
  })
  assert.is(text, 'a')
  assert.is(upstream.requests.length, 3)
})

Ends('a cap that is above what the server generates at the most is left out', async () => {
  // Of the services of DeepSeek, Alibaba and OpenAI, and of TensorRT-LLM's server.
  const words = [
    'Invalid max_tokens value, the valid range of max_tokens is [1, 512]',
    '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 512]',
    'max_tokens is too large: 1000. This model supports at most 512 completion tokens',
    'The sum of prompt length (9) and query length (0) max_tokens (1000) should not exceed max_seq_len (512)',
  ]
  for (const message of words) {
    upstream.requests.length = 0
    const { text } = await answered((request, response) => {
      if (!('max_tokens' in request)) return stream(response, ['a'])
      response.writeHead(400).end(JSON.stringify({ error: { message, code: 'invalid_request' } }))
    })
    assert.is(text, 'a')
    assert.is(upstream.requests.length, 2)
  }
})

Ends(
  'a cap that a service counts against what it allows in a minute is left out, once',
  async () => {
    const message = 'Request too large for model m on tokens per minute (TPM): Limit 800, Requested'
    const refuse = (response: ServerResponse) =>
      response
        .writeHead(413)
        .end(JSON.stringify({ error: { message, code: 'rate_limit_exceeded' } }))
    const { text } = await answered((request, response) => {
      if ('max_tokens' in request) refuse(response)
      else stream(response, ['a'])
    })
    assert.is(text, 'a')
    upstream.requests.length = 0
    assert.is((await failed((_request, response) => void refuse(response))).kind, 'overloaded')
    assert.is(upstream.requests.length, 2)
  },
)

Ends(
  'a seed is the best effort of a server that has one, and no other is asked for it',
  async () => {
    const flaw = (field: string) => ({
      loc: ['body', field],
      msg: 'Extra inputs are not permitted',
    })
    const { text } = await answered(
      (request, response) => {
        const detail = ['stream_options', 'seed'].filter((field) => field in request).map(flaw)
        if (detail.length === 0) return stream(response, ['a'])
        response.writeHead(422).end(JSON.stringify({ object: 'error', message: { detail } }))
      },
      { sampling: { seed: 7, temperature: 0 } },
    )
    assert.is(text, 'a')
    assert.equal(
      upstream.requests.map(({ seed, temperature }) => [seed, temperature]),
      [
        [7, 0],
        [7, 0],
        [undefined, 0],
      ],
    )
  },
)

Ends('an end of top_p that a server does not take is said in other words', async () => {
  const ask = (top_p: number, words: string) =>
    answered(
      (request, response) => {
        const isEnd = 'top_p' in request && (request.top_p === 0 || request.top_p === 1)
        if (!isEnd) return stream(response, ['a'])
        response.writeHead(422).end(JSON.stringify({ error: words, error_type: 'validation' }))
      },
      { sampling: { top_p } },
    )
  for (const words of [
    'Input validation error: `top_p` must be > 0.0 and < 1.0',
    'top_p must be in (0, 1], got 0.0.',
  ]) {
    upstream.requests.length = 0
    assert.is((await ask(1, words)).text, 'a')
    assert.is((await ask(0, words)).text, 'a')
    const said = upstream.requests.map(({ top_p }) => top_p)
    assert.equal(said, [1, undefined, 0, 0.000_001])
  }
})

Ends('what would change the answer is not left out', async () => {
  const message = 'Invalid temperature value: at most 1'
  const { kind } = await failed((_request, response) =>
    response.writeHead(400).end(JSON.stringify({ error: { message } })),
  )
  assert.is(kind, 'invalid_request')
  assert.is(upstream.requests.length, 1)
  const topP = await answered(
    (_request, response) => response.writeHead(400).end('{"error":"top_p is no use here"}'),
    { sampling: { top_p: 0.5 } },
  ).catch((error: unknown) => error)
  assert.is((topP as EngineFault).kind, 'invalid_request')
  assert.is(upstream.requests.length, 2)
})

Ends('a job goes on under the name it has, though a look at the models fails', async () => {
  upstream.list = (response) => response.writeHead(500).end()
  assert.is((await engine.models()).size, 0)
  await answered((_request, response) => stream(response, ['a']))
  assert.is(upstream.requests[0]?.model, 'qwen3:8b')
})

Ends('null for the models is none of them', async () => {
  const said: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => said.push(line) })
  upstream.list = (response) => response.end('{"object":"list","data":null}')
  const other = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted: [], log })
  assert.is((await other.models()).size, 0)
  assert.match(said.join(''), 'none of the models wanted')
  await other.close()
})

Ends.run()
