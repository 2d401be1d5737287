import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import type { Answer, Customer, Request } from '../customer.ts'
import type { Completion } from '../public-shapes.ts'
import { streamed } from '../streamed.ts'
import { checkError, refusalOf } from './envelope.ts'
import { checkUsage, hasFields, JOB_ID } from './forms.ts'
import { SECRET } from './fuzz-values.ts'

/** What must hold for any answer to anything, from a network that is well. */
export class Verdicts {
  /** Jobs that answers spoke of. */
  readonly jobIds = new Set<string>()
  readonly #counts = new Map<string, number>()
  #cases = 0

  constructor(
    private readonly customer: Customer,
    private readonly docsUrl: string,
  ) {}

  get cases(): number {
    return this.#cases
  }

  /** How often each kind of answer came, for the record. */
  tally(): string {
    const counts = [...this.#counts].sort(([, a], [, b]) => b - a)
    return counts.map(([what, count]) => `${count} ${what}`).join(', ')
  }

  check(request: Request, answer: Answer): void {
    this.#cases++
    const jobId = answer.headers['x-svc-job-id']
    if (typeof jobId === 'string') this.jobIds.add(jobId)
    assert.ok(answer.headers['x-request-id'], `x-request-id on a ${answer.status}`)
    assert.not(answer.text.includes(this.customer.apiKey), 'the key is repeated')
    if (request.method === 'HEAD') {
      assert.is(answer.text, '')
      this.#count(`HEAD ${answer.status}`)
    } else if ([200, 201].includes(answer.status)) this.#checkSuccess(answer)
    else if (answer.status === 204) assert.is(answer.text, '')
    else this.#checkRefusal(answer)
  }

  #checkSuccess(answer: Answer): void {
    if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
      const { isDone, error, chunks } = streamed(answer)
      if (error) checkError(error, undefined, this.docsUrl)
      assert.ok(isDone, `a stream of a network that is well: ${answer.text.slice(-300)}`)
      assert.ok(chunks.length >= 2)
      this.#count('streams')
      return
    }
    const body = JSON.parse(answer.text) as Completion
    if (body.object === 'chat.completion') {
      hasFields(body, ['id', 'object', 'created', 'model', 'choices', 'usage'])
      checkUsage(body.usage)
      assert.match(body.id.replace('chatcmpl-', ''), JOB_ID)
    }
    this.#count(String(answer.status))
  }

  #checkRefusal(answer: Answer): void {
    const { code, message } = refusalOf(answer, this.docsUrl)
    assert.ok(![500, 504].includes(answer.status), answer.text.slice(0, 300))
    assert.is.not(code, 'service_unavailable', message)
    assert.not(answer.text.includes(SECRET), `a prompt is repeated: ${message}`)
    this.#count(`${answer.status} ${code}`)
  }

  /**
   * What came on a socket: answers, one after the other, each in the envelope, or nothing at all
   * where nothing that could be answered was sent.
   */
  checkRaw(heard: string): void {
    this.#cases++
    const heads = heard.match(/^HTTP\/1\.[01] \d{3} .*$/gm) ?? []
    if (heard !== '') assert.ok(heads.length > 0, `no HTTP: ${heard.slice(0, 200)}`)
    for (const head of heads) {
      const status = Number(head.split(' ')[1])
      assert.ok(status < 500, heard.slice(0, 500))
      this.#count(`raw ${status}`)
    }
    if (heads.length !== 1) return
    const end = heard.indexOf('\r\n\r\n')
    const [lines, body] = [heard.slice(0, end).split('\r\n').slice(1), heard.slice(end + 4)]
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const status = Number(heads[0]?.split(' ')[1])
    if (status === 100 || status === 200 || body === '') return
    refusalOf({ status, headers, text: body }, this.docsUrl)
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }
}

const RAW_MS = 60_000

/** Writes all of it, says that this was all, and reads until the other side closes. */
export function exchangeBytes(baseUrl: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    let heard = ''
    const late = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the connection is still open after ${RAW_MS} ms`))
    }, RAW_MS)
    socket.setEncoding('latin1').on('data', (piece: string) => {
      heard += piece
    })
    // A reset is an end like any other: what was heard until then counts.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(heard)
    })
  })
}
