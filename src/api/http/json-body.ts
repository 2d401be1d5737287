import { isUtf8 } from 'node:buffer'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../domain/limits.ts'

export const MALFORMED_JSON = 'SVC_MALFORMED_JSON'

interface Options {
  /** Called with each body that is JSON, as it came. */
  readonly read?: (request: FastifyRequest, text: string) => void
  /** Requests whose path says it all come without a body; by default an empty one is refused. */
  readonly mayBeEmpty?: boolean
}

/** JSON is the only body we read; everything about it that can be wrong is told as a 400. */
export function addJsonBody(server: FastifyInstance, options: Options = {}): void {
  server.removeAllContentTypeParsers()
  // `error`: a key that could poison a prototype is refused, not silently dropped.
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      const encoding = request.headers['content-encoding']
      if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
        // Never unpacked: a few kilobytes can become gigabytes.
        return done(malformed('The body is compressed; send it without a content-encoding.'))
      }
      // Read all the same, a prompt would be another one.
      if (!isUtf8(bytes)) return done(malformed('The body is not UTF-8.'))
      const body = bytes.toString()
      if (body.trim() === '') {
        // Clients that name the type of every request also name that of one without a body.
        return options.mayBeEmpty || request.method === 'DELETE'
          ? done(null, undefined)
          : done(malformed('The body is empty; send a JSON object.'))
      }
      // Before parsing: a deep body costs far more memory than its own size.
      if (isDeeperThan(body, LIMITS.jsonDepthMax)) {
        return done(malformed(`The body is nested deeper than ${LIMITS.jsonDepthMax} levels.`))
      }
      parse(request, body, (error, value) => {
        if (error) return done(malformed(whatIsWrong(body)))
        options.read?.(request, body)
        done(null, value)
      })
    },
  )
}

/** Whether brackets outside strings nest deeper than `limit`. Skips strings natively. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = endOfString(text, i)
      if (i === -1) return false // never closed: the parser will say so
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > limit) return true
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end
  }
  return -1
}

const WHERE = /JSON (?<at>at position \d+)( \(line \d+ column \d+\))?$/

/** The framework does not say. Node's parser quotes what it met, which may be a prompt: only where goes out. */
function whatIsWrong(body: string): string {
  try {
    // A mark of the byte order is taken; a space has the same length.
    JSON.parse(body.replace(/^\uFEFF/, ' '))
    return 'The body holds a key `__proto__` or `constructor.prototype`, which is not taken.'
  } catch (error) {
    // At the end: of a short body all is quoted, and that may hold the same words.
    const { at } = WHERE.exec((error as Error).message)?.groups ?? {}
    const how = at ? `it breaks ${at}` : 'it ends too early or holds something that is not JSON'
    return `The body is not valid JSON: ${how}.`
  }
}

function malformed(message: string): FastifyError {
  return Object.assign(new Error(message), {
    name: 'FastifyError',
    code: MALFORMED_JSON,
    statusCode: 400,
  })
}
