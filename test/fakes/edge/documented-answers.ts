import * as assert from 'uvu/assert'
import { RESPONSE_HEADERS } from '../../../src/edge/openapi/response-headers.ts'
import type { OpenApi, ResponseObject } from '../../../src/edge/openapi/shape.ts'
import { DocumentedSchemas } from '../../unit/edge/openapi-answers.ts'
import { eventsOf } from './raw-http.ts'

/** Holds the answers of an edge against what its OpenAPI document says. */
export class DocumentedAnswers {
  /** `operationId status`, and the code of a refusal, of each answer that was checked. */
  readonly seen = new Set<string>()
  readonly #schemas: DocumentedSchemas

  constructor(readonly document: OpenApi) {
    this.#schemas = new DocumentedSchemas(document)
  }

  /**
   * @param at like `GET /jobs/{job_id}`
   * @param said what was read of an answer that does not end
   */
  async check(at: string, response: Response, said?: string): Promise<string> {
    const { operationId, answer } = this.#find(at, response.status)
    const text = said ?? (await response.text())
    const where = `${at} ${response.status}: ${text.slice(0, 300)}`
    const type = response.headers.get('content-type')?.split(';')[0] ?? 'none'
    const content = answer.content[type]
    assert.ok(content, `${where} is ${type}`)
    const values = type === 'text/event-stream' ? eventsOf(text) : [JSON.parse(text)]
    if (type === 'text/event-stream' && said === undefined) {
      assert.is(values.pop(), '[DONE]', where)
    }
    for (const value of values) assert.is(this.#schemas.faultsBy(content.schema, value), '', where)
    this.#checkHeaders(answer, response.headers, where)
    const code = values[0]?.error?.code
    this.seen.add([operationId, response.status, ...(code ? [code] : [])].join(' '))
    return text
  }

  #find(at: string, status: number) {
    const [method = '', path = ''] = at.split(' ')
    const item = this.document.paths[path]
    const operation = item?.[method.toLowerCase() as 'get' | 'post' | 'delete']
    assert.ok(operation, `${at} is not documented`)
    const answer = operation?.responses[status]
    assert.ok(answer, `${at} may not answer ${status}`)
    const { operationId } = operation!
    if (!answer || 'content' in answer) return { operationId, answer: answer as ResponseObject }
    const name = answer.$ref.slice('#/components/responses/'.length)
    return { operationId, answer: this.document.components.responses[name]! }
  }

  #checkHeaders(answer: ResponseObject, headers: Headers, where: string): void {
    for (const name of Object.keys(answer.headers)) {
      const { required, schema } = this.document.components.headers[name]!
      const value = headers.get(name)
      if (value === null) assert.not(required, `${where} lacks ${name}`)
      else assert.is(this.#schemas.faultsBy(schema, value), '', `${name} of ${where}`)
    }
    for (const name of Object.keys(RESPONSE_HEADERS)) {
      const isTold = Object.hasOwn(answer.headers, name)
      assert.ok(isTold || !headers.has(name), `${where} has ${name}, which is not documented`)
    }
  }
}
