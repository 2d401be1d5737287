import OpenAI from 'openai'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  call,
  DOCS_URL,
  jsonOf,
  KEY,
  MODEL,
  openStage,
  type Stage,
} from '../../fakes/edge/stage.ts'

/** What callers of similar services look for here: it is said what to do instead. */
const NotOffered = suite<{ stage: Stage }>('edge: not offered')
NotOffered.before.each(async (context) => {
  context.stage = await openStage()
})
NotOffered.after.each(async ({ stage }) => stage.close())

NotOffered('every method, with a key or without: 404 in the envelope', async ({ stage }) => {
  for (const path of ['/v1/embeddings', '/v1/images/generations', '/v1/assistants/a']) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      for (const key of [KEY, null]) {
        const answer = await call(stage, path, { method, key })
        const { error } = await jsonOf(answer)
        assert.equal([answer.status, error.code], [404, 'route_not_found'], `${method} ${path}`)
        assert.match(error.message, `There is no ${method} ${path}.`)
        assert.match(error.message, /planned for Phase 2|not offered/)
        assert.is(error.docs, `${DOCS_URL}/api-reference/errors#route_not_found`)
      }
    }
  }
})

NotOffered(
  'a common client is told in its own words, and does not try again',
  async ({ stage }) => {
    const client = new OpenAI({ baseURL: `${stage.url}/v1`, apiKey: KEY, maxRetries: 2 })
    const asks = [
      [() => client.embeddings.create({ model: MODEL, input: 'a' }), /planned for Phase 2/],
      [() => client.images.generate({ prompt: 'a' }), /planned for Phase 2/],
      [
        () => client.completions.create({ model: MODEL, prompt: 'a' }),
        /POST \/v1\/chat\/completions/,
      ],
      [() => client.responses.create({ model: MODEL, input: 'a' }), /POST \/v1\/chat\/completions/],
      [() => client.moderations.create({ input: 'a' }), /not offered/],
      [() => client.files.list(), /not offered/],
      [() => client.batches.list(), /not offered/],
      [() => client.fineTuning.jobs.list(), /not offered/],
    ] as const
    for (const [ask, words] of asks) {
      const refused = await ask().then(
        () => undefined,
        (error: unknown) => error,
      )
      assert.instance(refused, OpenAI.NotFoundError)
      if (refused instanceof OpenAI.NotFoundError) assert.match(refused.message, words)
    }
  },
)

NotOffered('a wallet in place of a key is planned, and says so', async ({ stage }) => {
  for (const scheme of ['SIWE', 'EIP-4361', 'Wallet']) {
    const headers = { authorization: `${scheme} 0xabc` }
    const answer = await call(stage, '/v1/account', { key: null, headers })
    const { error } = await jsonOf(answer)
    assert.equal([answer.status, error.code], [401, 'invalid_api_key'])
    assert.match(error.message, 'planned for Phase 2')
  }
})

NotOffered('in a chat request: tools, images and sound', async ({ stage }) => {
  const ask = async (more: object) =>
    (
      await jsonOf(
        await call(stage, '/v1/chat/completions', {
          body: { model: MODEL, messages: [{ role: 'user', content: 'a' }], ...more },
        }),
      )
    ).error
  const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })
  const tool = { type: 'function', function: { name: 'look', parameters: {} } }
  for (const more of [{ tools: [tool] }, { functions: [{ name: 'look' }] }]) {
    assert.match((await ask(more)).message, 'planned for Phase 2')
  }
  const image = await ask(part({ type: 'image_url', image_url: { url: 'https://a.test/a.png' } }))
  assert.equal([image.code, image.param], ['invalid_request', 'messages[0].content[0]'])
  assert.match(image.message, 'planned for Phase 2')
  const sound = await ask(part({ type: 'input_audio', input_audio: { data: '', format: 'wav' } }))
  assert.match(sound.message, 'not supported')
})

NotOffered.run()
