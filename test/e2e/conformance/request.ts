import * as assert from 'uvu/assert'
import { bodyOf, chat } from '../customer.ts'
import type { Completion } from '../public-shapes.ts'
import { streamed } from '../streamed.ts'
import { ASK, OPEN_ANSWER_TOKENS_MIN, payPlain, type Wire, type WireRow } from './wire-stage.ts'

/** The fields of POST /chat/completions: what each takes, does and refuses. */
export function requestRows(row: WireRow, wire: () => Wire): void {
  const takes = async (fields: object): Promise<Completion> =>
    bodyOf(await chat(wire().customer, { ...ASK, ...fields }))
  const refuses = async (param: string, values: readonly unknown[]) => {
    for (const value of values) await wire().refusesFields({ [param]: value }, param)
  }
  const without = (field: keyof typeof ASK) => {
    const { [field]: _, ...rest } = ASK
    return rest
  }
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
  const tools = { takes, refuses, wire }

  row('Request body', 'model: string, required', async () => {
    assert.is((await wire().plain()).completion.model, ASK.model)
    await refuses('model', [null, 8, true, [], {}, ''])
    const wanted = { status: 400, code: 'invalid_request', param: 'model' }
    await wire().refuses(wanted, without('model'))
  })
  row(
    'Request body',
    'messages: array of {role, content}, required; role system, user or assistant',
    async () => {
      for (const role of ['system', 'user', 'assistant']) {
        await takes({ messages: [{ role, content: 'Hello' }] })
      }
      await refuses('messages', [null, 'Hello', {}, []])
      const wanted = { status: 400, code: 'invalid_request', param: 'messages' }
      await wire().refuses(wanted, without('messages'))
      for (const role of ['robot', 'tool', 'User', '', 1, null]) {
        const messages = [{ role, content: 'Hello' }]
        await wire().refusesFields({ messages }, 'messages[0].role')
      }
      for (const content of [null, 1, {}, undefined]) {
        await wire().refusesFields(user(content), 'messages[0].content')
      }
    },
  )
  row('Request body', 'stream: boolean, default false', async () => {
    const { customer } = wire()
    for (const stream of [false, undefined]) {
      const { headers } = await chat(customer, { ...ASK, stream })
      assert.match(String(headers['content-type']), /json/)
    }
    assert.ok(streamed(await chat(customer, { ...ASK, stream: true })).isDone)
    await refuses('stream', ['true', 1, 0, {}])
  })
  row('Request body', 'max_tokens: integer, cap on generated tokens', async () => {
    for (const max_tokens of [1, 2, 501]) {
      const { usage, choices } = await takes({ max_tokens })
      assert.is(usage.completion_tokens, max_tokens)
      assert.is(choices[0].finish_reason, 'length')
    }
    const open: Completion = bodyOf(await chat(wire().customer, without('max_tokens')))
    assert.ok(open.usage.completion_tokens >= OPEN_ANSWER_TOKENS_MIN, 'no cap of our own')
    await refuses('max_tokens', [0, -1, 1.5, '10', true, {}])
  })
  row('Request body', 'temperature: number, 0.0 through 2.0', () =>
    isBounded(tools, 'temperature', [0, 2]),
  )
  row('Request body', 'top_p: number, nucleus sampling cutoff', () =>
    isBounded(tools, 'top_p', [0, 1]),
  )
  row('Request body', 'stop: string or array of string', async () => {
    const { text } = await wire().plain()
    const [before] = text.split('imitates')
    for (const stop of ['imitates', ['imitates'], ['never said', 'imitates', 'a b c', 'd e f']]) {
      const { choices } = await takes({ stop })
      assert.is(choices[0].message.content, before)
      assert.is(choices[0].finish_reason, 'stop')
    }
    await takes({ stop: [] })
    await refuses('stop', [5, true, {}, ['a', 1], [null], ''])
  })
  row('Request body', 'frequency_penalty: number, -2.0 to 2.0', () =>
    isBounded(tools, 'frequency_penalty', [-2, 2]),
  )
  row('Request body', 'presence_penalty: number, -2.0 to 2.0', () =>
    isBounded(tools, 'presence_penalty', [-2, 2]),
  )
  row('Request body', 'seed: integer, reproducible sampling', async () => {
    const say = async (seed: number) => (await takes({ seed })).choices[0].message.content
    assert.is(await say(11), await say(11))
    assert.is.not(await say(11), await say(12))
    await takes({ seed: -1 })
    await takes({ seed: Number.MAX_SAFE_INTEGER })
    await refuses('seed', [1.5, '7', true, {}])
  })

  choiceRows(row, tools)
  refusedRows(row, tools)
}

interface Tools {
  readonly takes: (fields: object) => Promise<Completion>
  readonly refuses: (param: string, values: readonly unknown[]) => Promise<void>
  readonly wire: () => Wire
}

async function isBounded(
  { takes, refuses }: Tools,
  param: string,
  [least, most]: readonly [number, number],
): Promise<void> {
  for (const value of [least, most, (least + most) / 3]) await takes({ [param]: value })
  // The common clients say null for what was not given.
  await takes({ [param]: null })
  await refuses(param, [least - 0.001, most + 0.001, least - 1e9, 1e300, '1', true, [1], {}])
}

function choiceRows(row: WireRow, { takes, wire }: Tools): void {
  row(
    'Request body (choice)',
    'max_completion_tokens is the newer name of max_tokens',
    async () => {
      const newer = await takes({ max_tokens: undefined, max_completion_tokens: 9 })
      assert.is(newer.usage.completion_tokens, 9)
      const both = await takes({ max_tokens: 9, max_completion_tokens: 9 })
      assert.is(both.usage.completion_tokens, 9)
    },
  )
  row(
    'Request body (choice)',
    'max_tokens and max_completion_tokens that differ: 400',
    async () => {
      const fields = { max_tokens: 9, max_completion_tokens: 10 }
      await wire().refusesFields(fields, 'max_completion_tokens')
    },
  )
  row('Request body (choice)', 'role developer is read as system', async () => {
    const { text } = await wire().plain()
    const [, ...rest] = ASK.messages
    const messages = [{ role: 'developer', content: 'Be brief.' }, ...rest]
    // The sample engine answers the same conversation the same.
    assert.is((await takes({ messages })).choices[0].message.content, text)
  })
  row('Request body (choice)', 'content may be an array of text parts', async () => {
    const say = async (content: unknown) =>
      (await payPlain(wire().customer, { ...ASK, messages: [{ role: 'user', content }] })).text
    const parts = ['Hel', 'lo'].map((text) => ({ type: 'text', text }))
    assert.is(await say(parts), await say('Hello'))
  })
  row('Request body (choice)', 'harmless fields pass', async () => {
    const { choices } = await takes({
      user: 'somebody',
      metadata: { any: 'thing' },
      store: true,
      service_tier: 'auto',
      some_later_field: [1, { deep: null }],
      n: 1,
      logprobs: false,
      tools: [],
      tool_choice: 'none',
      response_format: { type: 'text' },
    })
    assert.is(choices[0].finish_reason, 'length')
  })
}

function refusedRows(row: WireRow, { refuses, wire }: Tools): void {
  row('Request body (choice)', 'n above 1: refused', () => refuses('n', [2, 100, '1', 0]))
  row('Request body (choice)', 'logprobs: refused', async () => {
    await refuses('logprobs', [true, 5])
    await refuses('top_logprobs', [3])
  })
  row('Request body (choice)', 'tools, functions, tool_choice: refused', async () => {
    const look = { type: 'function', function: { name: 'look' } }
    await refuses('tools', [[look], {}, 'look'])
    await refuses('functions', [[{ name: 'look' }]])
    await refuses('tool_choice', ['auto', 'required', look])
  })
  row('Request body (choice)', 'response_format other than text: refused', () =>
    refuses('response_format', [{ type: 'json_object' }, { type: 'json_schema' }, {}, 'text']),
  )
  row('Request body (choice)', 'image and audio parts: refused', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    for (const part of [image, audio]) {
      const messages = [{ role: 'user', content: [{ type: 'text', text: 'See' }, part] }]
      await wire().refusesFields({ messages }, 'messages[0].content[1]')
    }
  })
  row('Request body (choice)', 'stop with more than 4 entries: refused', () =>
    refuses('stop', [['a', 'b', 'c', 'd', 'e']]),
  )
}
