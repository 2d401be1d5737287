import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage, Sampling } from '../../../src/domain/chat.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import type { Engine, EngineEnding } from '../../../src/worker/engine.ts'
import { openLlamaEngine } from '../../../src/worker/engines/llama.ts'
import { ASSISTANT, EOS, type TinyModel, writeTinyModel } from './tiny-model.ts'

export const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

/** Says one sentence, whose last but one character is a face in four tokens. */
const SENTENCE = [
  ...[ASSISTANT, 'Tiny', '▁answer', ',', '▁and', '▁a', '▁face', '▁'],
  ...['<0xF0>', '<0x9F>', '<0x98>', '<0x80>', '.', EOS],
]
export const SENTENCE_TEXT = 'Tiny answer, and a face 😀.'
/** All of it but where it begins and ends. */
export const SENTENCE_TOKENS = SENTENCE.length - 2

/** Models of every test, by id. */
export const MODELS = {
  sentence: { walks: [SENTENCE] },
  /** Never ends, and after each word it may say one of two. */
  endless: {
    walks: [
      [ASSISTANT, '▁north', '▁east', '▁south', '▁west', '▁north', '▁south'],
      ['▁east', '▁north'],
      ['▁south', '▁east'],
      ['▁west', '▁south'],
    ],
    contextWindow: 32_768,
  },
  /** Thinks first, in pieces that do not end where the marks do. */
  thinker: {
    walks: [
      [ASSISTANT, '<think>', '▁hm', '.</', 'think>', '<0x0A>', 'Tiny'],
      [...SENTENCE.slice(1, -2), EOS],
    ],
    chatTemplate: `{{ messages[0].content }}${ASSISTANT}{# </think> #}`,
  },
} satisfies Readonly<Record<string, TinyModel>>
export type ModelName = keyof typeof MODELS

export interface Settings {
  /** Ids in the catalogue and what serves them; its own name for each model by default. */
  readonly models?: Readonly<Record<string, ModelName>>
  readonly slots?: number
  readonly contextTokens?: number
}

/** A llama engine on tiny models, which it takes along when it closes. */
export async function openTinyEngine(folder: string, settings: Settings = {}): Promise<Engine> {
  const { models = { sentence: 'sentence', endless: 'endless', thinker: 'thinker' } } = settings
  const { slots = 2, contextTokens = 0 } = settings
  const scratch = mkdtempSync(join(tmpdir(), 'svc-tiny-model-'))
  const files = Object.entries(models).map(([id, name]) => {
    const path = join(scratch, `${name}.gguf`)
    writeTinyModel(path, MODELS[name])
    return { id, path }
  })
  const clear = () => rmSync(scratch, { recursive: true })
  try {
    const rest = { slots, contextTokens, gpuLayers: 0, threads: 1, packageFolder: folder, log }
    const engine = await openLlamaEngine({ models: files, ...rest })
    const { name } = engine
    return {
      name,
      models: () => engine.models(),
      generate: (job, signal) => engine.generate(job, signal),
      close: () => engine.close().finally(clear),
    }
  } catch (error) {
    clear()
    throw error
  }
}

export interface Asked {
  readonly model?: string
  readonly messages?: readonly ChatMessage[]
  readonly sampling?: Sampling
  readonly outputTokensMax?: number
  readonly signal?: AbortSignal
  readonly onPiece?: () => void
}

/** The whole answer. */
export async function answerOf(engine: Engine, asked: Asked = {}) {
  const { model = 'sentence', sampling = { temperature: 0 }, outputTokensMax = 10_000 } = asked
  const { signal = new AbortController().signal } = asked
  const messages = asked.messages ?? [{ role: 'user', content: 'hello' }]
  const pieces: string[] = []
  let tokens = 0
  let ending: EngineEnding | undefined
  for await (const piece of engine.generate(
    { model, messages, sampling, outputTokensMax },
    signal,
  )) {
    pieces.push(piece.text)
    tokens += piece.tokens
    ending = piece.ending
    asked.onPiece?.()
  }
  return { text: pieces.join(''), pieces, tokens, ending: ending! }
}
