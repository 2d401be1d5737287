import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJobId } from '../../../src/domain/ids.ts'
import { SseChunks, sseEvent } from '../../../src/edge/answer/sse-chunks.ts'
import { defaultNames } from '../../fakes/default-names.ts'

const jobId = toJobId(`job_${'0'.repeat(26)}`)
const { objectField } = defaultNames
const identity = { jobId, created: 7, model: 'a/b', includeUsage: false, objectField }
const head = `data: {"id":"chatcmpl-${jobId}","object":"chat.completion.chunk","created":7,"model":"a/b",`

const Bytes = suite('SSE bytes')
Bytes('the first delta has the role, later ones only content', () => {
  const chunks = new SseChunks(identity)
  assert.is(
    chunks.first('Hi "you"\n'),
    `${head}"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi \\"you\\"\\n"},"finish_reason":null}]}\n\n`,
  )
  assert.is(
    chunks.text('x'),
    `${head}"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n`,
  )
})
Bytes('the last chunk is empty, says why, and carries svc', () => {
  assert.is(
    new SseChunks(identity).last('length', { a: null }),
    `${head}"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"svc":{"a":null}}\n\n`,
  )
})
Bytes('with usage asked for, every chunk says null but the extra one', () => {
  const chunks = new SseChunks({ ...identity, includeUsage: true })
  assert.is(
    chunks.text('x'),
    `${head}"usage":null,"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n`,
  )
  assert.is(
    chunks.usage({ promptTokens: 1, completionTokens: 2 }),
    `${head}"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}\n\n`,
  )
})
Bytes('a torn surrogate is escaped, not sent as broken UTF-8', () => {
  assert.match(new SseChunks(identity).text('\ud800'), /\\ud800/)
})
Bytes('data is one line to who ends lines as Unicode does, as Python and Swift', () => {
  const ends = '\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029'
  const chunks = new SseChunks(identity)
  const events = [chunks.first(ends), chunks.text(ends), sseEvent({ message: ends })]
  for (const event of events) {
    const line = event.slice(0, -2)
    for (const end of ends) assert.not.ok(line.includes(end))
    assert.ok(JSON.stringify(JSON.parse(line.slice('data: '.length))).includes('\u2028'))
  }
})
Bytes.run()
