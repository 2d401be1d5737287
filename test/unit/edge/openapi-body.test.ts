import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseChatRequest } from '../../../src/edge/chat/chat-request.ts'
import { openApiDocument } from '../../../src/edge/openapi/document.ts'
import { createChatCompletion } from '../../../src/edge/openapi/operations.ts'
import { type ChatBody, chatBody, dropNulls } from '../../../src/edge/schemas/chat-body.ts'
import { INVALID_BODIES, VALID } from '../../e2e/invalid-bodies.ts'
import { defaultNames } from '../../fakes/default-names.ts'

/** The documentation of the chat body takes what the edge takes, and nothing else. */
const Body = suite('openapi: body')

const document = openApiDocument({
  endpoints: [
    {
      method: 'post',
      url: '/v1/chat/completions',
      body: chatBody,
      operation: createChatCompletion,
    },
  ],
  baseUrl: 'http://edge.test/v1',
  docsUrl: 'http://docs.test',
  names: defaultNames,
})
const asDocumented = new Ajv2020({ strict: false })
  .addSchema({ $id: 'openapi', ...document })
  .compile(
    JSON.parse(
      JSON.stringify(
        document.paths['/chat/completions']?.post?.requestBody?.content['application/json']?.schema,
      ).replaceAll('"#/', '"openapi#/'),
    ),
  )
const fits = new Ajv().compile<ChatBody>(chatBody)

function edgeTakes(body: unknown): boolean {
  const own: unknown = structuredClone(body)
  dropNulls(own)
  return fits(own) && parseChatRequest(own).ok
}

/** The one rule that a schema cannot tell. */
const capsAgree = ({ max_tokens: a, max_completion_tokens: b }: Record<string, unknown>): boolean =>
  a === undefined || a === null || b === undefined || b === null || a === b

Body('what the edge refuses is refused by the document', () => {
  for (const { what, body } of INVALID_BODIES) {
    assert.not(edgeTakes(body), what)
    if (capsAgree({ ...body })) assert.not(asDocumented(body), what)
  }
  assert.ok(asDocumented(VALID))
})

Body('a field of null counts as not given: the document says so of every optional one', () => {
  const required: readonly string[] = chatBody.required ?? []
  for (const name of Object.keys(chatBody.properties)) {
    if (required.includes(name)) continue
    const body = { ...VALID, [name]: null }
    assert.ok(edgeTakes(body), name)
    assert.ok(asDocumented(body), name)
  }
})

Body('any body: both take it, or neither', () => {
  let taken = 0
  fc.assert(
    fc.property(bodies, (body) => {
      fc.pre(capsAgree(body))
      const takes = edgeTakes(body)
      if (takes) taken++
      assert.is(asDocumented(body), takes, JSON.stringify(body))
    }),
    { numRuns: 5_000 },
  )
  assert.ok(taken > 500, `only ${taken} of the bodies were good ones`)
})

const junk = fc.constantFrom(
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  3,
  '',
  'a',
  'none',
  [],
  {},
  ['a'],
  [1],
)
const sometimes = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: good, weight: 6 }, { arbitrary: junk, weight: 1 })
const maybe = <T>(good: fc.Arbitrary<T>) => fc.option(sometimes(good), { nil: undefined, freq: 1 })
const seldom = (bad: unknown) =>
  fc.oneof({ arbitrary: fc.constant(null), weight: 20 }, { arbitrary: fc.constant(bad), weight: 1 })

const part = sometimes(
  fc.record({
    type: fc.constantFrom('text', 'text', 'text', 'text', 'image_url', 'input_audio'),
    text: sometimes(fc.string()),
  }),
)
const message = sometimes(
  fc.record(
    {
      role: sometimes(
        fc.constantFrom('system', 'developer', 'user', 'assistant', 'assistant', 'tool'),
      ),
      content: sometimes(fc.oneof(fc.string(), fc.array(part, { maxLength: 2 }))),
      tool_calls: fc.constantFrom(null, [], [], [], [{}]),
      function_call: seldom({ name: 'f' }),
      audio: seldom({ id: 'a' }),
      name: fc.string(),
    },
    { requiredKeys: ['role'] },
  ),
)
const penalty = fc.double({ min: -2.2, max: 2.2, noNaN: true })
const fields: Record<string, fc.Arbitrary<unknown>> = {
  stream: fc.boolean(),
  stream_options: fc.record({ include_usage: sometimes(fc.boolean()) }, { requiredKeys: [] }),
  max_tokens: fc.integer({ min: 0, max: 9 }),
  max_completion_tokens: fc.integer({ min: 0, max: 9 }),
  temperature: fc.double({ min: -0.1, max: 2.1, noNaN: true }),
  top_p: fc.double({ min: -0.1, max: 1.1, noNaN: true }),
  stop: fc.oneof(fc.string(), fc.array(sometimes(fc.string()), { maxLength: 6 })),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  seed: fc.oneof(fc.integer(), fc.constant(2 ** 60)),
  n: fc.constant(1),
  logprobs: fc.constant(false),
  top_logprobs: fc.constant(0),
  tools: fc.constant([]),
  tool_choice: fc.constant('none'),
  parallel_tool_calls: fc.boolean(),
  functions: fc.constant([]),
  function_call: fc.constant('none'),
  response_format: fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
  modalities: fc.constantFrom(['text'], ['text', 'audio']),
  audio: fc.constant(null),
  user: fc.string(),
}
const bodies: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    model: sometimes(fc.constant('Qwen/Qwen3-8B')),
    messages: sometimes(fc.array(message, { minLength: 1, maxLength: 3 })),
    extra: fc.uniqueArray(fc.constantFrom(...Object.keys(fields)), { maxLength: 3 }),
  })
  .chain(({ extra, ...base }) =>
    fc
      .record(Object.fromEntries(extra.map((name) => [name, maybe(fields[name]!)])))
      .map((more) => JSON.parse(JSON.stringify({ ...base, ...more }))),
  )

Body.run()
