import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explain } from '../../../../src/web/app/api/explain.ts'
import { streamChat } from '../../../../src/web/app/pages/playground/stream-chat.ts'
import { makeFakeHouse } from '../../../fakes/web/fake-house.ts'

const StreamChat = suite('answers in the playground')

const { fetch } = globalThis
StreamChat.after(() => {
  globalThis.fetch = fetch
})

const sse = (...chunks: readonly unknown[]) =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
const piece = { choices: [{ delta: { content: 'Half of' } }] }

/** What the person is told of an answer that has begun, and then breaks for this reason. */
async function toldOf(code: string) {
  const error = { code, message: 'It broke.', type: 'server_error', param: null }
  globalThis.fetch = async () =>
    new Response(sse(piece, { error }), {
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' },
    })
  let text = ''
  const request = {
    ...{ web: makeFakeHouse('http://127.0.0.1:1', 0).config, apiKey: 'key', model: 'm' },
    ...{ messages: [], maxTokens: 10, stop: new AbortController().signal },
  }
  const listener = {
    job: () => {},
    text: (more: string) => {
      text += more
    },
  }
  const failure = await streamChat(request, listener).catch((each: unknown) => each)
  assert.is(text, 'Half of')
  return explain(failure)
}

StreamChat('that break off: whoever asked is not told to ask for something else', async () => {
  for (const code of ['service_unavailable', 'answer_gone', 'some_new_code']) {
    const { what, todo } = await toldOf(code)
    assert.is(what, 'It broke.')
    assert.match(todo, /^Try again/, code)
  }
})

StreamChat('that break off by a fault of ours: with the number to quote', async () => {
  const { todo, requestId } = await toldOf('internal_error')
  assert.match(todo, 'quote the number below')
  assert.is(requestId, 'req_1')
})

StreamChat.run()
