import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { type Engine, EngineFault } from '../../../src/worker/engine.ts'
import { openLlamaEngine } from '../../../src/worker/engines/llama.ts'
import { loadLlamaPackage } from '../../../src/worker/engines/llama-package.ts'
import {
  answerOf,
  log,
  MODELS,
  openTinyEngine,
  SENTENCE_TEXT,
  SENTENCE_TOKENS,
} from '../../fakes/llama/engine-house.ts'
import { installLlama } from '../../fakes/llama/installed.ts'
import { writeTinyModel } from '../../fakes/llama/tiny-model.ts'

const Llama = suite('llama engine')
const installed = await installLlama()
const folder = 'folder' in installed ? installed.folder : ''
if ('missing' in installed) process.stdout.write(`most is skipped: ${installed.missing}\n`)

let engine: Engine
let narrow: Engine
const CONTEXT = 64
Llama.before(async () => {
  if (!folder) return
  engine = await openTinyEngine(folder)
  narrow = await openTinyEngine(folder, { contextTokens: CONTEXT })
})
Llama.after(async () => {
  await engine?.close()
  await narrow?.close()
})
const engineTest = (name: string, play: () => Promise<void>) => {
  if (folder) Llama(name, play)
}

const BOS_TOKENS = 1
const ASSISTANT_TOKENS = 1
/** The token of the role, and the one that ends the message. */
const FRAME_TOKENS = 2
const user = (content: string) => ({ role: 'user' as const, content })

engineTest('answers with the very text and counts of the tokenizer', async () => {
  // `hello` is one token; `ü` is two bytes, and a token each.
  const messages = [{ role: 'system' as const, content: 'be kind' }, user('hello ü')]
  const { text, tokens, ending } = await answerOf(engine, { messages })
  assert.is(text, SENTENCE_TEXT)
  assert.is(tokens, SENTENCE_TOKENS)
  const promptTokens = BOS_TOKENS + 2 * FRAME_TOKENS + 7 + 4 + ASSISTANT_TOKENS
  const usage = { promptTokens, completionTokens: SENTENCE_TOKENS }
  assert.equal(ending, { finishReason: 'stop', usage })
})

engineTest('a character that is several tokens comes in one piece', async () => {
  const { pieces } = await answerOf(engine)
  assert.ok(pieces.includes('😀'), JSON.stringify(pieces))
})

engineTest('repeats itself at temperature 0 and for a seed', async () => {
  const say = async (sampling: object) => {
    const hot = { temperature: 2, ...sampling }
    return (await answerOf(engine, { model: 'endless', sampling: hot, outputTokensMax: 40 })).text
  }
  assert.is(await say({ temperature: 0 }), await say({ temperature: 0 }))
  assert.is(await say({ seed: 7 }), await say({ seed: 7 }))
  assert.is.not(await say({ seed: 7 }), await say({ seed: 8 }))
  assert.is.not(await say({}), await say({}))
  const least = { seed: Number.MIN_SAFE_INTEGER }
  assert.is(await say(least), await say(least))
})

engineTest('the penalties are heard', async () => {
  const say = async (sampling: object) => {
    const cold = { temperature: 0, ...sampling }
    return (await answerOf(engine, { model: 'endless', sampling: cold, outputTokensMax: 30 })).text
  }
  const plain = await say({})
  assert.is.not(await say({ frequency_penalty: 2 }), plain)
  assert.is.not(await say({ presence_penalty: 2 }), plain)
  assert.is(await say({ frequency_penalty: 0, presence_penalty: 0 }), plain)
})

engineTest('stops at the most tokens', async () => {
  const { tokens, ending } = await answerOf(engine, { model: 'endless', outputTokensMax: 5 })
  assert.is(tokens, 5)
  assert.is(ending.finishReason, 'length')
  assert.is(ending.usage.completionTokens, 5)
})

engineTest('prompt and answer together fill the context and no more', async () => {
  assert.equal([...(await narrow.models()).values()], [CONTEXT, CONTEXT, CONTEXT])
  const { ending } = await answerOf(narrow, { model: 'endless' })
  const { promptTokens, completionTokens } = ending.usage
  assert.is(promptTokens + completionTokens, CONTEXT)
  assert.is(ending.finishReason, 'length')
})

engineTest('a prompt that leaves no room for an answer is refused with the numbers', async () => {
  const letters = CONTEXT - BOS_TOKENS - FRAME_TOKENS - ASSISTANT_TOKENS
  const ask = (content: string) => answerOf(narrow, { messages: [user(content)] })
  assert.is((await ask('x'.repeat(letters - 1))).ending.usage.completionTokens, 1)
  const fault = await caught(ask('x'.repeat(letters)), EngineFault)
  assert.is(fault.kind, 'context_length')
  assert.match(fault.message, 'the messages are 64 tokens')
  assert.match(fault.message, 'the context is 64 for')
  const far = await caught(ask('x'.repeat(4 << 20)), EngineFault)
  assert.match(far.message, 'the messages are more than 128 tokens')
})

engineTest('a conversation that the template refuses is refused', async () => {
  const messages = [user('hello'), { role: 'system' as const, content: 'too late' }]
  const fault = await caught(answerOf(engine, { messages }), EngineFault)
  assert.is(fault.kind, 'invalid_request')
  assert.match(fault.message, 'The system message must come first')
})

engineTest('ends before a stop sequence over several tokens', async () => {
  const sampling = { temperature: 0, stop: ['swer, a', 'never'] }
  const { text, ending } = await answerOf(engine, { sampling })
  assert.is(text, 'Tiny an')
  assert.is(ending.finishReason, 'stop')
})

engineTest('what a model thinks before it answers is neither shown nor counted', async () => {
  const { text, ending } = await answerOf(engine, { model: 'thinker' })
  assert.is(text, SENTENCE_TEXT.slice(0, -1))
  assert.is(ending.usage.completionTokens, SENTENCE_TOKENS - 1)
})

engineTest('ends within a second when told to, in the answer and in the prompt', async () => {
  const longest = { model: 'endless', outputTokensMax: 30_000 }
  const abort = new AbortController()
  let pieces = 0
  const onPiece = () => void (++pieces === 3 && abort.abort())
  const cut = await answerOf(engine, { ...longest, signal: abort.signal, onPiece })
  assert.is(cut.ending.usage.completionTokens, 3)
  assert.is(cut.tokens, 3)

  const early = AbortSignal.timeout(20)
  let abortedAt = 0
  early.addEventListener('abort', () => {
    abortedAt = performance.now()
  })
  const messages = [user('x'.repeat(30_000))]
  const unread = await answerOf(engine, { ...longest, messages, signal: early })
  // A second on a machine of its own.
  assert.ok(performance.now() - abortedAt < 15_000, 'it read on')
  assert.is(unread.ending.usage.completionTokens, 0)
})

engineTest('answers as many jobs at once as it has slots', async () => {
  const ask = () => answerOf(engine, { model: 'endless', outputTokensMax: 50 })
  const alone = await ask()
  for (const { text } of await Promise.all([ask(), ask()])) assert.is(text, alone.text)
  const [first, second, third] = await Promise.allSettled([ask(), ask(), ask()])
  assert.equal([first.status, second.status, third.status], ['fulfilled', 'fulfilled', 'rejected'])
  assert.is((await ask()).text, alone.text)
})

Llama('a package that is not there: says how to get it', async () => {
  const { message } = await caught(loadLlamaPackage('/nowhere'), ConfigError)
  assert.match(message, 'needs the npm package node-llama-cpp')
  assert.match(message, 'npm install --ignore-scripts --prefix /nowhere node-llama-cpp@')
})

Llama('a file that is missing, broken or no chat model: says which and why', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-tiny-model-'))
  const path = join(scratch, 'tiny.gguf')
  const complaint = async () => {
    const rest = {
      slots: 1,
      contextTokens: 0,
      gpuLayers: 0,
      threads: 1,
      packageFolder: folder,
      log,
    }
    const opened = openLlamaEngine({ models: [{ id: 'm', path }], ...rest })
    return (await caught(opened, ConfigError)).message
  }
  try {
    assert.match(await complaint(), `${path} cannot be opened`)
    writeFileSync(path, 'GGUF but for the rest')
    assert.match(await complaint(), `${path} is no GGUF file`)
    if (!folder) return
    writeTinyModel(path, { ...MODELS.sentence, chatTemplate: null })
    assert.match(await complaint(), 'has no chat template')
    for (const part of [0.1, 0.9]) {
      writeTinyModel(path, MODELS.sentence)
      truncateSync(path, Math.round(statSync(path).size * part))
      assert.match(await complaint(), `${path} cannot be loaded`)
    }
  } finally {
    rmSync(scratch, { recursive: true })
  }
})

async function caught<E extends Error>(
  work: Promise<unknown>,
  kind: new (...args: never[]) => E,
): Promise<E> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.instance(error, kind)
  return error as E
}

Llama.run()
