import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseModelFiles } from '../../../src/worker/engines/llama-files.ts'
import { evaluateOptions } from '../../../src/worker/engines/llama-sampling.ts'
import { TokenReader } from '../../../src/worker/engines/llama-text.ts'
import { ThoughtFilter } from '../../../src/worker/engines/llama-thought.ts'

const Text = suite('llama text')

/** Each token is one byte. */
const bytes = { detokenize: (tokens: readonly number[]) => Buffer.from(tokens).toString('utf8') }

function readBytes(tokens: Iterable<number>) {
  const reader = new TokenReader(bytes, [])
  const pieces = [...tokens].map((token) => reader.push(token))
  return [...pieces, reader.end()].filter((piece) => piece.tokens > 0)
}

Text('a character is held back until it is whole', () => {
  assert.equal(readBytes(Buffer.from('ü😀!')), [
    { text: 'ü', tokens: 2 },
    { text: '😀', tokens: 4 },
    { text: '!', tokens: 1 },
  ])
})

Text('what never becomes a character is given up, and no token is lost', () => {
  const pieces = readBytes([0xf0, 0x9f, 0x41, 0x80, 0x80, 0x80, 0x80, 0xc3])
  assert.is(
    pieces.reduce((sum, { tokens }) => sum + tokens, 0),
    8,
  )
  assert.match(pieces.map(({ text }) => text).join(''), /^\ufffd+A\ufffd+$/)
})

function think(state: 'start' | 'thought' | 'answer', texts: readonly string[]) {
  const filter = new ThoughtFilter(state)
  const pieces = [...texts.map((text) => filter.push({ text, tokens: 1 })), filter.end()]
  return {
    text: pieces.map(({ text }) => text).join(''),
    tokens: pieces.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

Text('a thought is left out, and its tokens with it', () => {
  const whole = ['<think>', 'a', 'b', '</think>', '\n\n', 'yes', ' no']
  assert.equal(think('start', whole), { text: 'yes no', tokens: 2 })
  const torn = ['\n', '<th', 'ink>a', '</', 'think', '>\n', '\nyes', ' no']
  assert.equal(think('start', torn), { text: 'yes no', tokens: 2 })
  assert.equal(think('thought', ['a', '</think>yes']), { text: 'yes', tokens: 1 })
  assert.equal(think('start', ['<think>', 'for ever']), { text: '', tokens: 0 })
})

Text('what only looks like a thought is the answer', () => {
  assert.equal(think('start', ['\n', '<th', 'e']), { text: '\n<the', tokens: 3 })
  assert.equal(think('start', [' ', '<think']), { text: ' <think', tokens: 2 })
  assert.equal(think('answer', ['<think>', 'x']), { text: '<think>x', tokens: 2 })
  assert.equal(think('start', ['a', '<think>']), { text: 'a<think>', tokens: 2 })
})

const Sampling = suite('llama sampling')

Sampling('what the caller says wins, the rest is as in the server of llama.cpp', () => {
  const given = evaluateOptions({ temperature: 0, top_p: 1, seed: 7 }, [])
  const expected = { temperature: 0, topP: 1, topK: 40, minP: 0.05, seed: 7 }
  assert.equal(given, expected)
  const { seed, ...rest } = evaluateOptions({}, [])
  assert.equal(rest, { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05 })
  assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)
})

Sampling('any whole number is a seed', () => {
  const seeds = [-1, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1e300]
  const taken = seeds.map((seed) => evaluateOptions({ seed }, []).seed)
  assert.ok(taken.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
  assert.equal(taken.slice(0, 2), [2 ** 32 - 1, 5])
})

Sampling('penalties are over what has been generated so far', () => {
  const generated: number[] = []
  const { repeatPenalty } = evaluateOptions({ frequency_penalty: -2 }, generated)
  generated.push(5, 6)
  assert.is(repeatPenalty?.frequencyPenalty, -2)
  assert.is(repeatPenalty?.presencePenalty, 0)
  assert.equal(repeatPenalty?.punishTokens(), [5, 6])
})

const Files = suite('llama model files')

Files('each id has its file', () => {
  assert.equal(parseModelFiles('a/b=/m/b=1.gguf, c = ~/c.gguf,d=d.gguf,'), [
    { id: 'a/b', path: '/m/b=1.gguf' },
    { id: 'c', path: `${homedir()}/c.gguf` },
    { id: 'd', path: resolve('d.gguf') },
  ])
})

Files('a complaint says what is expected', () => {
  assert.throws(() => parseModelFiles(' , '), /names no model: .* id=\/path\/model\.gguf/)
  assert.throws(() => parseModelFiles('a'), /"a" names no file/)
  assert.throws(() => parseModelFiles('a='), /"a=" names no file/)
  assert.throws(() => parseModelFiles('a=x,a=y'), /names a twice/)
})

Text.run()
Sampling.run()
Files.run()
