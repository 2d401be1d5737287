import { Value } from '@sinclair/typebox/value'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseChatRequest } from '../../../src/edge/chat/chat-request.ts'
import { chatBody, dropNulls } from '../../../src/edge/schemas/chat-body.ts'

const user = { role: 'user', content: 'Hello' }

/** The body as the route treats it: nulls dropped, the schema, then the parser. */
function parse(fields: Record<string, unknown>) {
  const body: unknown = { model: 'm', messages: [user], ...fields }
  dropNulls(body)
  if (!Value.Check(chatBody, body)) throw new Error('the body does not fit the schema')
  return parseChatRequest(body)
}
function accepted(fields: Record<string, unknown>) {
  const parsed = parse(fields)
  assert.ok(parsed.ok, `refused: ${JSON.stringify(parsed)}`)
  if (!parsed.ok) throw new Error('unreachable')
  return parsed.value
}
function refusedParam(fields: Record<string, unknown>) {
  const parsed = parse(fields)
  if (parsed.ok) throw new Error(`accepted ${JSON.stringify(fields)}`)
  assert.is(parsed.error.code, 'invalid_request')
  return parsed.error.param
}

const Refusals = suite('chat request: refusals')
const refused: readonly [Record<string, unknown>, string][] = [
  [{ n: 2 }, 'n'],
  [{ n: '1' }, 'n'],
  [{ logprobs: true }, 'logprobs'],
  [{ top_logprobs: 3 }, 'top_logprobs'],
  [{ tools: [{ type: 'function' }] }, 'tools'],
  [{ tools: {} }, 'tools'],
  [{ tool_choice: 'auto' }, 'tool_choice'],
  [{ functions: [{}] }, 'functions'],
  [{ function_call: 'auto' }, 'function_call'],
  [{ response_format: { type: 'json_object' } }, 'response_format'],
  [{ response_format: 'text' }, 'response_format'],
  [{ modalities: ['text', 'audio'] }, 'modalities'],
  [{ audio: { voice: 'x' } }, 'audio'],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  [{ stop: 5 }, 'stop'],
  [{ stop: [1] }, 'stop'],
  [{ stop: '' }, 'stop'],
  [{ max_tokens: 5, max_completion_tokens: 6 }, 'max_completion_tokens'],
  [{ stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
  [{ messages: [user, { role: 'robot', content: '' }] }, 'messages[1].role'],
  [{ messages: [{ role: 'tool', content: '' }] }, 'messages[0].role'],
  [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
  [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
  [{ messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
  [
    { messages: [{ role: 'assistant', content: null, tool_calls: [{}] }] },
    'messages[0].tool_calls',
  ],
  [
    { messages: [{ role: 'assistant', content: null, function_call: {} }] },
    'messages[0].function_call',
  ],
  [
    { messages: [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }, user] },
    'messages[0].audio',
  ],
  [
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'a' }, { type: 'image_url' }],
        },
      ],
    },
    'messages[0].content[1]',
  ],
  [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages[0].content[0]'],
  [{ messages: [{ role: 'user', content: [null] }] }, 'messages[0].content[0]'],
  [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
]
for (const [fields, param] of refused) {
  Refusals(`${JSON.stringify(fields)} names ${param}`, () => {
    assert.is(refusedParam(fields), param)
  })
}
Refusals('tools are said to be planned', () => {
  const parsed = parse({ tools: [{}] })
  assert.match(parsed.ok ? '' : parsed.error.message, /Phase 2/)
})
Refusals.run()

const Acceptances = suite('chat request: what passes')
Acceptances('max_completion_tokens is the newer name of max_tokens', () => {
  assert.is(accepted({ max_completion_tokens: 7 }).maxTokens, 7)
  assert.is(accepted({ max_tokens: 7 }).maxTokens, 7)
  assert.is(accepted({ max_tokens: 7, max_completion_tokens: 7 }).maxTokens, 7)
  assert.is(accepted({}).maxTokens, undefined)
})
Acceptances('null is not given', () => {
  const order = accepted({ temperature: null, stop: null, n: null, tools: null, stream: null })
  assert.equal(order.prompt.sampling, {})
  assert.is(order.stream, false)
})
Acceptances('what asks for nothing passes', () => {
  accepted({ tools: [], tool_choice: 'none', functions: [], parallel_tool_calls: true, n: 1 })
  accepted({ response_format: { type: 'text' }, logprobs: false, top_logprobs: 0 })
  accepted({ messages: [{ role: 'assistant', content: 'a', audio: null }, user] })
  accepted({ user: 'u', metadata: { a: 'b' }, store: true, service_tier: 'auto', unheard: {} })
  // As the reference of the API says (src/docs/api-reference/chat-completions.md).
  accepted({ logit_bias: { '50256': -100 }, prediction: { type: 'content', content: 'x' } })
  accepted({
    reasoning_effort: 'low',
    verbosity: 'low',
    top_k: 1,
    min_p: 0.1,
    repetition_penalty: 1,
  })
})
Acceptances('sampling goes through under its wire names', () => {
  const sampling = {
    temperature: 0,
    top_p: 0.5,
    stop: ['x'],
    frequency_penalty: -2,
    presence_penalty: 2,
    seed: 0,
  }
  assert.equal(accepted({ ...sampling, stop: 'x' }).prompt.sampling, sampling)
})
Acceptances('developer is read as system, parts are joined, an empty turn is empty', () => {
  const { messages } = accepted({
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'assistant', content: null },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  }).prompt
  assert.equal(messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'ab' },
  ])
})
Acceptances('a turn of the model may come in parts, as clients send it back', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]
  const { messages } = accepted({ messages: [{ role: 'assistant', content }, user] }).prompt
  assert.equal(messages[0], { role: 'assistant', content: 'ab' })
})
Acceptances('four stop sequences, and none', () => {
  const stop = ['a', 'b', 'c', 'd']
  assert.equal(accepted({ stop }).prompt.sampling, { stop })
  assert.equal(accepted({ stop: [] }).prompt.sampling, {})
})
Acceptances('a seed that JSON keeps is the worker’s, and a larger one always the same', () => {
  const seedOf = (seed: number) => accepted({ seed }).prompt.sampling.seed
  for (const seed of [-1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    assert.is(seedOf(seed), seed)
  }
  const large = seedOf(2 ** 62 + 2 ** 20)
  assert.ok(Number.isSafeInteger(large))
  assert.is(seedOf(2 ** 62 + 2 ** 20), large)
})
Acceptances('include_usage', () => {
  assert.is(accepted({ stream: true, stream_options: { include_usage: true } }).includeUsage, true)
  assert.is(accepted({ stream_options: { include_usage: null } }).includeUsage, false)
})
Acceptances(
  'half of a surrogate pair becomes one replacement character, a pair in two parts none',
  () => {
    const parts = ['a\ud83d', '\ude00b'].map((text) => ({ type: 'text', text }))
    const messages = [
      { role: 'user', content: 'a\ud83db\ude00' },
      { role: 'user', content: parts },
    ]
    const { prompt } = accepted({ messages, stop: ['\ud800'] })
    const contents = prompt.messages.map(({ content }) => content)
    assert.equal(contents, ['a\ufffdb\ufffd', 'a\u{1f600}b'])
    assert.equal(prompt.sampling.stop, ['\ufffd'])
  },
)

Acceptances.run()
