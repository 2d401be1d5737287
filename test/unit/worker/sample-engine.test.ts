import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Sampling } from '../../../src/domain/chat.ts'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { type EngineEnding, EngineFault } from '../../../src/worker/engine.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'

const Sample = suite('sample engine')
const MODEL = 'Qwen/Qwen3-8B'

interface Asked {
  readonly content?: string
  readonly sampling?: Sampling
  readonly outputTokensMax?: number
  readonly tokens?: number
  readonly tokenMs?: number
  readonly signal?: AbortSignal
}

async function answer(asked: Asked = {}) {
  const { content = 'hi', sampling = {}, outputTokensMax = 10_000 } = asked
  const { tokens = 60, tokenMs = 0, signal = new AbortController().signal } = asked
  const engine = makeSampleEngine({ models: LAUNCH_LINEUP, tokens, tokenMs })
  const job = { model: MODEL, messages: [{ role: 'user' as const, content }], sampling }
  let text = ''
  let counted = 0
  let ending: EngineEnding | undefined
  for await (const piece of engine.generate({ ...job, outputTokensMax }, signal)) {
    text += piece.text
    counted += piece.tokens
    ending = piece.ending
  }
  return { text, counted, ending }
}

Sample('says what it is, and ends by itself near the wanted length', async () => {
  const { text, counted, ending } = await answer()
  assert.match(text, /^This is the sample engine\. It imitates no model/)
  assert.ok(counted >= 40 && counted <= 81, `${counted} tokens`)
  assert.is(ending?.finishReason, 'stop')
  assert.is(ending?.usage.completionTokens, counted)
  assert.ok((ending?.usage.promptTokens ?? 0) > 0)
})

Sample('repeats itself for a seed and at temperature 0, and only then', async () => {
  const text = async (sampling: Sampling, content?: string) =>
    (await answer({ sampling, ...(content ? { content } : {}) })).text
  assert.is(await text({ seed: 7 }), await text({ seed: 7 }))
  assert.is(await text({ temperature: 0 }), await text({ temperature: 0 }))
  assert.is.not(await text({ seed: 7 }), await text({ seed: 8 }))
  assert.is.not(await text({ temperature: 0 }), await text({ temperature: 0 }, 'other'))
  assert.is.not(await text({}), await text({}))
})

Sample('stops at the most tokens', async () => {
  const { counted, ending } = await answer({ outputTokensMax: 5 })
  assert.is(counted, 5)
  assert.is(ending?.finishReason, 'length')
})

Sample('ends before a stop sequence, though it falls over several tokens', async () => {
  const { text, ending } = await answer({ sampling: { stop: ['sample engine. It'] } })
  assert.is(text, 'This is the ')
  assert.is(ending?.finishReason, 'stop')
})

Sample('a prompt beyond the context is refused as such', async () => {
  try {
    await answer({ content: 'word '.repeat(33_000) })
    assert.unreachable()
  } catch (error) {
    assert.instance(error, EngineFault)
    assert.is((error as EngineFault).kind, 'context_length')
  }
})

Sample('takes its time a token, and ends soon when told to', async () => {
  const abort = new AbortController()
  const started = performance.now()
  setTimeout(() => abort.abort(), 60)
  const { ending } = await answer({ tokens: 10_000, tokenMs: 5, signal: abort.signal })
  const span = performance.now() - started
  // All of it would take fifty seconds.
  assert.ok(span >= 50 && span < 25_000, `${span} ms`)
  assert.is(ending?.finishReason, 'length', 'who asks again for it is not told that it is whole')
})

Sample.run()
