import fc from 'fast-check'
import { anyText, around, junk, SECRET, text } from './fuzz-values.ts'

/** Bodies of chat requests: nearly right, in JSON; wrong, in JSON; no JSON at all. */

const LITE = 'Qwen/Qwen3-1.7B'

const model = fc.oneof(
  { weight: 30, arbitrary: fc.constant<unknown>(LITE) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('Qwen/Qwen3-8B', 'google/gemma-3-27b-it', 'gpt-4o', `${LITE} `),
  },
  { weight: 1, arbitrary: junk },
)

const part = fc.oneof(
  { weight: 6, arbitrary: text.map((said): unknown => ({ type: 'text', text: said + SECRET })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: 'image_url', image_url: { url: `https://example.com/${SECRET}` } },
      { type: 'input_audio', input_audio: { data: SECRET, format: 'wav' } },
      { type: 'text' },
      { type: 'refusal', refusal: SECRET },
    ),
  },
  { weight: 1, arbitrary: junk },
)
const content = fc.oneof(
  { weight: 24, arbitrary: text.map((said): unknown => said + SECRET) },
  { weight: 4, arbitrary: fc.array(part, { maxLength: 5 }) },
  { weight: 1, arbitrary: junk },
)
const role = fc.oneof(
  { weight: 36, arbitrary: fc.constantFrom<unknown>('user', 'assistant', 'system', 'developer') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('tool', 'function', 'User') },
  { weight: 1, arbitrary: junk },
)
const message = fc.oneof(
  { weight: 40, arbitrary: fc.record({ role, content }) },
  { weight: 1, arbitrary: fc.record({ role, content, name: junk, tool_calls: junk }) },
  { weight: 1, arbitrary: junk },
)
const manyMessages = fc
  .constantFrom(2_047, 2_048, 2_049, 10_000)
  .map((count): unknown => Array.from({ length: count }, () => ({ role: 'user', content: 'a' })))
const messages = fc.oneof(
  { weight: 50, arbitrary: fc.array(message, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: manyMessages },
  { weight: 2, arbitrary: junk },
)

/** Mostly well, sometimes at a bound, seldom of another kind. */
const usually = (good: fc.Arbitrary<unknown>, bound?: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 16, arbitrary: good },
    { weight: bound ? 3 : 0, arbitrary: bound ?? good },
    { weight: 1, arbitrary: junk },
  )

const integer = (min: number, max: number) => fc.integer({ min, max })
const double = (min: number, max: number) => fc.double({ min, max, noNaN: true })

const optional = {
  stream: usually(fc.boolean()),
  stream_options: usually(fc.record({ include_usage: fc.boolean() })),
  max_tokens: usually(integer(1, 40), around(1, 32_768, 1)),
  max_completion_tokens: usually(integer(1, 40), around(1, 32_768, 1)),
  temperature: usually(double(0, 2), around(0, 2, 1e-9)),
  top_p: usually(double(0, 1), around(0, 1, 1e-9)),
  stop: usually(fc.oneof(anyText, fc.array(anyText, { maxLength: 5 }))),
  frequency_penalty: usually(double(-2, 2), around(-2, 2, 1e-9)),
  presence_penalty: usually(double(-2, 2), around(-2, 2, 1e-9)),
  seed: usually(fc.maxSafeInteger(), around(-(2 ** 53), 2 ** 53, 1)),
  n: usually(fc.constantFrom(1, 2)),
  logprobs: usually(fc.constant(false)),
  top_logprobs: usually(fc.constant(0)),
  tools: usually(fc.constant([])),
  tool_choice: usually(fc.constantFrom('none', 'auto')),
  response_format: usually(fc.constantFrom({ type: 'text' }, { type: 'json_object' })),
  user: usually(text),
  store: usually(fc.boolean()),
  metadata: junk,
  unheard_of: junk,
}

/** An object that a serializer would send. Few of the optional fields each, so that some pass. */
export const chatBody: fc.Arbitrary<object> = fc
  .record({
    required: fc.record({ model, messages }),
    extra: fc.record(optional, { requiredKeys: [] }),
    kept: fc.subarray(Object.keys(optional), { maxLength: 3 }),
    lost: fc.oneof(
      { weight: 40, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.constantFrom(['model'], ['messages']) },
    ),
  })
  .map(({ required, extra, kept, lost }) => {
    const all: [string, unknown][] = Object.entries({
      ...required,
      ...Object.fromEntries(Object.entries(extra).filter(([name]) => kept.includes(name))),
    })
    return Object.fromEntries(all.filter(([name]) => !lost.some((one) => one === name)))
  })

const sequence = anyText.filter((said) => said !== '')

/** Everything in it is as documented: it must be answered. */
export const goodBody: fc.Arbitrary<object> = fc.record(
  {
    model: fc.constant(LITE),
    messages: fc.array(
      fc.record({
        role: fc.constantFrom('user', 'assistant', 'system', 'developer'),
        content: fc.oneof(
          text,
          fc.array(
            text.map((said) => ({ type: 'text', text: said })),
            { minLength: 1, maxLength: 4 },
          ),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    max_tokens: integer(1, 40),
    stream: fc.boolean(),
    temperature: double(0, 2),
    top_p: double(0, 1),
    stop: fc.oneof(sequence, fc.array(sequence, { maxLength: 4 })),
    frequency_penalty: double(-2, 2),
    presence_penalty: double(-2, 2),
    seed: fc.maxSafeInteger(),
    user: text,
    // Keys that could poison a prototype are refused wherever they stand.
    unheard_of: fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => !/"(__proto__|constructor)"/.test(JSON.stringify(value))),
  },
  { requiredKeys: ['model', 'messages', 'max_tokens'] },
)

/** Text that was JSON until something happened to it. */
export const damagedJson: fc.Arbitrary<string> = fc
  .record({
    body: chatBody,
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    damage: fc.nat(14),
    odd: anyText,
  })
  .map(({ body, at, damage, odd }) => damaged(JSON.stringify(body), { at, damage, odd }))

interface Damage {
  /** Where, as a share of the text. */
  readonly at: number
  readonly damage: number
  readonly odd: string
}

function damaged(json: string, { at, damage, odd }: Damage): string {
  const cut = Math.floor(at * json.length)
  const [head, tail] = [json.slice(0, cut), json.slice(cut)]
  const withField = (field: string) => `{${field},${json.slice(1)}`
  const depth = Math.floor(at * 60)
  switch (damage) {
    case 0:
      return head
    case 1:
      return head + odd + tail
    case 2:
      return head + tail.slice(1)
    case 3:
      return withField('"model":"another"')
    case 4:
      return withField(`"messages":[{"role":"user","content":"${SECRET}"}]`)
    case 5:
      return withField('"__proto__":{"isAdmin":true}')
    case 6:
      return withField('"constructor":{"prototype":{"isAdmin":true}}')
    case 7:
      return withField(`"max_tokens":${at < 0.5 ? '1e999' : '01'}`)
    case 8:
      return withField('"seed":NaN')
    case 9:
      return `${'['.repeat(depth)}${json}${']'.repeat(depth)}`
    case 10:
      return withField(`"deep":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    case 11:
      return `\ufeff${json}`
    case 12:
      return json + odd
    case 13:
      return withField(`"${odd.replace(/["\\]/g, '')}":"\\ud800"`)
    default:
      return `${' \n'.repeat(depth)}${json}\u0000`
  }
}

/** Bytes under some content type and encoding, which may be what they are, or not. */
export const encodedBody = fc.record({
  body: fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    chatBody.map((body) => Buffer.from(JSON.stringify(body))),
    chatBody.map((body) => Buffer.from(JSON.stringify(body), 'utf16le')),
    chatBody.map((body) => Buffer.from(JSON.stringify(body), 'latin1')),
  ),
  type: fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'application/json;charset="latin1"; a=b',
      'APPLICATION/JSON',
      'application/vnd.api+json',
      'text/plain',
      'text/json',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      ';',
      '/',
      'application/',
      undefined,
    ),
    headerValue(),
  ),
  encoding: fc.constantFrom(
    undefined,
    undefined,
    'identity',
    'gzip',
    'br',
    'deflate',
    'none, gzip',
  ),
  isChunked: fc.boolean(),
})

/** Whatever Node lets into a header: printable, and no line breaks. */
export function headerValue(): fc.Arbitrary<string> {
  const code = fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }))
  return fc.string({ unit: code.map((each) => String.fromCharCode(each)), maxLength: 80 })
}
