import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UpstreamStream } from '../../../src/worker/engines/upstream-stream.ts'

const Frame = suite('event frame')

/** All that a stream of these events says, one read each. */
function read(events: readonly string[]): { text: string; tokens: number } {
  const stream = new UpstreamStream()
  let [text, tokens] = ['', 0]
  for (const data of events) {
    const piece = stream.push(Buffer.from(`data: ${data}\n\n`))
    text += piece.text
    tokens += piece.tokens
  }
  return { text, tokens }
}

const says = (content: string, more: object = {}, delta: object = {}) =>
  JSON.stringify({
    id: 'c-1',
    choices: [{ index: 0, delta: { ...delta, content }, finish_reason: null }],
    ...more,
  })

Frame('events that differ in their text alone are read to the letter', () => {
  const texts = [
    'a',
    ' b',
    '',
    'c"d',
    'e\\',
    '\\n',
    '\n',
    '\u2028',
    'é€😀',
    '},{"x":1',
    '\u0001',
    'ä'.repeat(9),
  ]
  const { text, tokens } = read(texts.map((each) => says(each)))
  assert.is(text, texts.join(''))
  assert.is(tokens, texts.length - 1, 'the empty one is no token')
})

Frame('what looks like the content elsewhere is not taken for it', () => {
  const pairs = {
    aa: ['{"content":"\\u0061","role":"a"}', '{"content":"\\u0061","role":"b"}'],
    xx: ['{"content":"x","role":"x"}', '{"content":"x","role":"y"}'],
    zw: ['{"content":"z","content":"z"}', '{"content":"z","content":"w"}'],
    'another textanother text': [
      '{"content":"another text","role":"another text"}',
      '{"content":"another text","role":"y"}',
    ],
  }
  for (const [text, deltas] of Object.entries(pairs)) {
    assert.is(read(deltas.map((delta) => `{"choices":[{"delta":${delta}}]}`)).text, text)
  }
})

Frame('what an event tells besides is heard, whatever came before it', () => {
  const stream = new UpstreamStream()
  const usage = (count: number) => ({ usage: { prompt_tokens: 1, completion_tokens: count } })
  const events = [
    says('a'),
    says('b'),
    says('c', usage(3)),
    says('d', usage(4)),
    says('e', {}, { reasoning: 'hm' }),
    '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  ]
  for (const data of events) stream.push(Buffer.from(`data: ${data}\n\n`))
  assert.equal(stream.ending(0), {
    finishReason: 'stop',
    usage: { promptTokens: 1, completionTokens: 5 },
  })
})

Frame('a fault in the middle of like events is one', () => {
  const stream = new UpstreamStream()
  for (const each of ['a', 'b', 'c']) stream.push(Buffer.from(`data: ${says(each)}\n\n`))
  const broken = `data: ${says('d').replace('"d"', '"d')}\n\n`
  assert.throws(() => stream.push(Buffer.from(broken)), /no chat completion chunk/)
})

Frame('mixed events say what each says by itself', () => {
  const event = fc.record({
    text: fc.constantFrom('a', 'another text', 'stop', 'c-1', '"', '\\', ', ', '{}', 'b a', ''),
    more: fc.constantFrom({}, { model: 'a' }, { other: [{ delta: { content: 'a' } }] }),
    delta: fc.constantFrom({}, { role: 'assistant' }, { role: 'a' }, { reasoning: null }),
    comma: fc.constantFrom(',', ', '),
  })
  const property = fc.property(fc.array(event, { maxLength: 12 }), (events) => {
    const written = events.map(({ text, more, delta, comma }) =>
      says(text, more, delta).replaceAll(',', comma),
    )
    const alone = written.map((data) => JSON.parse(data).choices[0].delta.content as string)
    assert.is(read(written).text, alone.join(''))
  })
  fc.assert(property, { numRuns: 500 })
})

Frame.run()
