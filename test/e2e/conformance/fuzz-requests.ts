import fc from 'fast-check'
import type { Request } from '../customer.ts'
import { headerValue } from './fuzz-bodies.ts'
import { anyText, junk, SECRET, text } from './fuzz-values.ts'

/** Requests around the chat: lists, single things, disputes, paths, headers, and no HTTP at all. */

const NO_JOB = `job_${'0'.repeat(26)}`
const HEX = `sha256:${'a'.repeat(64)}`

export interface Case extends Request {
  readonly path: string
}

// A lone surrogate has no bytes: it becomes the mark that stands for one.
const encoded = (value: string): string => encodeURIComponent(Buffer.from(value).toString())
/** Escaped, as it is where that is possible, or escaped wrongly. */
const inUrl = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: value.map(encoded) },
    { weight: 2, arbitrary: value.map((each) => each.replace(/[^!-~]|[#?/\\]/g, '')) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%00', '%zz', '%ff', '..', '%2e%2e', '%2F', '+') },
  )

/** @param ids jobs that exist */
export function listQuery(ids: readonly string[]): fc.Arbitrary<Case> {
  const cursor = fc.oneof(fc.constantFrom(...ids, NO_JOB), anyText)
  const status = fc.constantFrom('pending', 'processing', 'settling', 'settled', 'failed', 'none')
  const numbers = fc.oneof(fc.integer({ min: -1, max: 102 }), fc.integer(), fc.double())
  const known = fc.oneof(
    fc.tuple(fc.constant('limit'), numbers.map(String)),
    fc.tuple(fc.constantFrom('before', 'after'), cursor),
    fc.tuple(fc.constant('status'), fc.oneof(status, anyText)),
    fc.tuple(fc.constant('model'), fc.oneof(fc.constantFrom('Qwen/Qwen3-1.7B', ''), anyText)),
  )
  const names = fc.constantFrom('limit', 'before', 'after', 'status', 'model')
  const parameter = fc.oneof(
    { weight: 6, arbitrary: known.map(([name, value]) => `${name}=${encoded(value)}`) },
    { weight: 1, arbitrary: fc.tuple(names, inUrl(text)).map((pair) => pair.join('=')) },
    { weight: 1, arbitrary: inUrl(anyText) },
    { weight: 1, arbitrary: fc.constantFrom('limit[]=1', 'limit', '&', '=', 'limit=1&limit=2') },
  )
  return fc
    .array(parameter, { maxLength: 5 })
    .map((parameters) => ({ path: `/jobs?${parameters.join('&').slice(0, 4_000)}` }))
}

/** @param ids jobs that exist */
export function singleThing(ids: readonly string[]): fc.Arbitrary<Case> {
  const id = fc.oneof(fc.constantFrom(...ids, NO_JOB), anyText, text)
  const folder = fc.constantFrom('jobs', 'models', 'models/Qwen', 'account', 'webhooks')
  const method = fc.oneof(
    { weight: 6, arbitrary: fc.constant('GET') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'),
    },
  )
  return fc
    .record({
      folder,
      id: inUrl(id),
      rest: fc.constantFrom('', '', '', '/', '/dispute', '?a=b'),
      method,
    })
    .map(({ folder, id, rest, method }) => ({
      method,
      path: `/${folder}/${id}${rest}`.slice(0, 12_000),
    }))
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MKCOL']

export const anyPath: fc.Arbitrary<Case> = fc
  .record({
    segments: fc.array(inUrl(anyText), { maxLength: 5 }),
    method: fc.constantFrom(...METHODS),
    body: fc.option(junk, { nil: undefined }),
  })
  .map(({ segments, method, body }) => {
    const path = `/${segments.join('/')}`
    const text = ['GET', 'HEAD'].includes(method) ? undefined : JSON.stringify(body)
    if (text === undefined) return { path, method }
    const length = String(Buffer.byteLength(text))
    const headers = { 'content-type': 'application/json', 'content-length': length }
    return { path, method, body: text, headers }
  })

/**
 * Never a well-formed wrong hash of a job that exists: that is a dispute, which costs something.
 * @param ids jobs that exist
 */
export function dispute(ids: readonly string[]): fc.Arbitrary<Case> {
  const isHash = (hash: unknown) => typeof hash === 'string' && /^sha256:[0-9a-f]{64}$/i.test(hash)
  const malformed = fc.oneof(
    junk,
    fc.constantFrom<unknown>('sha256:', HEX.slice(1), `${HEX}0`, HEX.slice(0, -1), ` ${HEX}`, [
      HEX,
    ]),
  )
  const ofSomeJob = fc.record({
    id: fc.constantFrom(...ids),
    body: malformed.filter((hash) => !isHash(hash)).map((hash) => ({ received_output_hash: hash })),
  })
  const ofNoJob = fc.record({
    id: fc.oneof(fc.constant(NO_JOB), inUrl(anyText)),
    body: fc.oneof(fc.constant({ received_output_hash: HEX }), junk),
  })
  const withoutField = fc.record({
    id: fc.constantFrom(...ids),
    body: fc.constantFrom({}, [], null),
  })
  return fc.oneof(ofSomeJob, ofNoJob, withoutField).map(({ id, body }) => ({
    method: 'POST',
    path: `/jobs/${id}/dispute`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body) ?? '',
  }))
}

const HOSTS = ['8.8.8.8', '127.0.0.1:3000', 'localhost', '[::1]', '10.0.0.1', 'a.invalid', '[', '@']

/** New webhooks, from right to nothing like it. No host of them is one that has to be resolved. */
export const webhook: fc.Arbitrary<Case> = fc
  .record({
    url: fc.oneof(
      { weight: 4, arbitrary: urlOf(inUrl(anyText)) },
      { weight: 1, arbitrary: fc.oneof(junk, text, urlOf(anyText)) },
    ),
    events: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.array(fc.constantFrom('job.failed', 'credit.low', 'worker.slashed'), {
          minLength: 1,
          maxLength: 9,
        }),
      },
      { weight: 1, arbitrary: fc.oneof(junk, fc.array(junk), fc.array(text)) },
    ),
    secret: fc.oneof(
      { weight: 4, arbitrary: text.map((each) => SECRET + each) },
      { weight: 1, arbitrary: fc.oneof(junk, text) },
    ),
  })
  .map((body) => ({
    method: 'POST',
    path: '/webhooks',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }))

function urlOf(path: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const scheme = fc.constantFrom('https://', 'https://', 'http://', 'ftp://', 'https:', '')
  return fc.tuple(scheme, fc.constantFrom(...HOSTS), path).map(([a, b, c]) => `${a}${b}/${c}`)
}

const NAMES = [
  'idempotency-key',
  'x-stainless-retry-count',
  'x-request-id',
  'accept',
  'accept-encoding',
  'x-forwarded-for',
  'x-forwarded-host',
  'origin',
  'range',
  'if-none-match',
  'te',
  'cookie',
  'x-http-method-override',
  'openai-organization',
  'user-agent',
] as const

/** A chat request that would be answered, but for what its headers say. */
export function oddHeaders(apiKey: string): fc.Arbitrary<Case> {
  const value = fc.oneof(
    fc.constantFrom('0', '1', '-1', '2', 'a', '*/*', 'gzip', 'text/event-stream', '127.0.0.1'),
    headerValue(),
    fc.constantFrom('x'.repeat(300), 'x'.repeat(7_000)),
  )
  const key = fc.constantFrom(
    `Bearer ${apiKey}`,
    `bearer ${apiKey}`,
    `Bearer  ${apiKey}`,
    `Bearer\t${apiKey}`,
    `${apiKey}`,
    `Bearer ${apiKey}x`,
    `Bearer ${apiKey.slice(0, -1)}`,
    `Basic ${Buffer.from(apiKey).toString('base64')}`,
    'Bearer',
    'Bearer ',
    '',
  )
  return fc
    .record({
      authorization: fc.oneof(
        { weight: 6, arbitrary: fc.constant(`Bearer ${apiKey}`) },
        { weight: 2, arbitrary: key },
        { weight: 1, arbitrary: headerValue() },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      headers: fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 4 }),
      stream: fc.boolean(),
      said: fc.constantFrom('Hello', 'Bye'),
    })
    .map(({ authorization, headers, stream, said }) => ({
      method: 'POST',
      path: '/chat/completions',
      authorization,
      headers: { ...headers, 'content-type': 'application/json' },
      body: {
        model: 'Qwen/Qwen3-1.7B',
        messages: [{ role: 'user', content: said + SECRET }],
        max_tokens: 3,
        stream,
      },
    }))
}

/** What a broken or a hostile client writes on a socket, whole. */
export const rawBytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .record({
      method: fc.oneof(fc.constantFrom('GET', 'POST', 'get', 'G T', ''), anyText),
      target: fc.oneof(
        fc.constantFrom('/v1/models', '*', 'http://a/v1/models', '/v1/\u0000'),
        anyText,
      ),
      version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1.1', ''),
      headers: fc.array(rawHeader(), { maxLength: 6 }),
      body: fc.oneof(fc.constantFrom('', '0\r\n\r\n', '5\r\nabc', '{}'), anyText),
    })
    .map(({ method, target, version, headers, body }) =>
      Buffer.from(`${method} ${target} ${version}\r\n${headers.join('')}\r\n${body}`, 'latin1'),
    ),
)

function rawHeader(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      'host: a\r\n',
      'host: a\r\nhost: b\r\n',
      'content-length: 5\r\n',
      'content-length: -1\r\n',
      'content-length: 99999999999999999999\r\n',
      'content-length: 5\r\ncontent-length: 6\r\n',
      'transfer-encoding: chunked\r\n',
      'transfer-encoding: gzip, chunked\r\n',
      'content-length: 5\r\ntransfer-encoding: chunked\r\n',
      'connection: upgrade\r\nupgrade: websocket\r\n',
      'connection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n',
      'expect: 100-continue\r\n',
      'expect: something\r\n',
      'no colon here\r\n',
      ' folded: a\r\n',
      'a: b\n',
      `long: ${'x'.repeat(20_000)}\r\n`,
    ),
    fc.tuple(anyText, anyText).map(([name, value]) => `${name}: ${value}\r\n`),
  )
}
