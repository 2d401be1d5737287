// An OpenAI-compatible server that answers at once, in a process of its own: what is measured is
// the way to it, not it. Prints its URL when it listens.
import { createServer, type ServerResponse } from 'node:http'

const MODEL = 'Qwen/Qwen3-8B'
const TOKENS = Number(process.env.MOCK_TOKENS ?? 100)
/** Milliseconds between two tokens; 0: all at once. */
const TOKEN_MS = Number(process.env.MOCK_TOKEN_MS ?? 0)
/** Tokens leave in this many writes, as an engine that decodes in steps does. */
const WRITES = 10

const pieces = Array.from({ length: TOKENS }, (_, i) => (i === 0 ? 'word' : ' word'))
const usage = { prompt_tokens: 12, completion_tokens: TOKENS, total_tokens: 12 + TOKENS }
const base = { id: 'chatcmpl-mock', created: 1_800_000_000, model: MODEL }

const event = (choices: unknown[], more = {}) =>
  `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`
const delta = (content: string) => event([{ index: 0, delta: { content }, finish_reason: null }])

const perWrite = Math.ceil(TOKENS / WRITES)
const writes = Array.from({ length: WRITES }, (_, i) =>
  pieces
    .slice(i * perWrite, (i + 1) * perWrite)
    .map(delta)
    .join(''),
).filter(Boolean)
const ending =
  event([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
  event([], { usage }) +
  'data: [DONE]\n\n'
const plain = JSON.stringify({
  ...base,
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: pieces.join('') }, finish_reason: 'stop' },
  ],
  usage,
})
const models = JSON.stringify({ object: 'list', data: [{ id: MODEL, object: 'model' }] })

const server = createServer((request, response) => {
  if (request.url?.endsWith('/models')) return json(response, models)
  let body = ''
  request.on('data', (data) => {
    body += data
  })
  request.on('end', () => {
    if (body.includes('"stream":true')) stream(response)
    else json(response, plain)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) {
    process.stdout.write(`http://127.0.0.1:${address.port}/v1\n`)
  }
})

function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (TOKEN_MS > 0) {
    paced(response)
    return
  }
  let next = 0
  const write = () => {
    if (next < writes.length) {
      response.write(writes[next++])
      setImmediate(write)
    } else response.end(ending)
  }
  write()
}

/** Which token each open stream is at: one timer for all of them costs the least. */
const open = new Map<ServerResponse, number>()

function paced(response: ServerResponse): void {
  open.set(response, 0)
  response.once('close', () => open.delete(response))
}

if (TOKEN_MS > 0) {
  const tokens = pieces.map(delta)
  setInterval(() => {
    for (const [response, next] of open) {
      if (next < tokens.length) {
        response.write(tokens[next])
        open.set(response, next + 1)
      } else {
        open.delete(response)
        response.end(ending)
      }
    }
  }, TOKEN_MS)
}
