import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../../config/read.ts'
import { toPath } from './llama-files.ts'

/** The release this engine is tested with; any other of its major version is taken. */
export const LLAMA_VERSION = '3.22.1'

const NAME = 'node-llama-cpp'

// The package is large and few operators want it, so it is not installed with the agent and its
// types are not at hand: these are the parts of them that are used.

export type Token = number

export interface Llama {
  /** Kind of GPU in use; false on the CPU alone. */
  readonly gpu: string | false
  loadModel(options: {
    readonly modelPath: string
    readonly gpuLayers: number | 'auto'
  }): Promise<LlamaWeights>
  dispose(): Promise<void>
}

export interface LlamaWeights {
  readonly trainContextSize: number
  readonly gpuLayers: number
  readonly fileInfo: { readonly metadata: { readonly tokenizer?: TokenizerMetadata } }
  readonly tokens: {
    readonly bos: Token | null
    readonly bosString: string | null
    readonly eosString: string | null
    readonly shouldPrependBosToken: boolean
  }
  /** @param special whether the texts of control tokens mean those tokens */
  tokenize(text: string, special: boolean): Token[]
  /** @param before tokens that came before, which decide on a space at the start */
  detokenize(tokens: readonly Token[], special: boolean, before: readonly Token[]): string
  createContext(options: {
    readonly sequences: number
    readonly contextSize: { readonly min?: number; readonly max: number }
    readonly threads?: number
  }): Promise<LlamaContext>
  dispose(): Promise<void>
}

interface TokenizerMetadata {
  readonly chat_template?: string
}

export interface LlamaContext {
  /** Tokens a sequence holds; a little more than was asked for. */
  readonly contextSize: number
  getSequence(): LlamaSequence
}

export interface LlamaSequence {
  clearHistory(): Promise<void>
  evaluateWithoutGeneratingNewTokens(tokens: Token[]): Promise<void>
  /** Ends by itself before a token that ends the answer. */
  evaluate(tokens: Token[], options: EvaluateOptions): AsyncGenerator<Token, void, void>
}

export interface EvaluateOptions {
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly minP: number
  /** 32 bits, unsigned. */
  readonly seed: number
  readonly repeatPenalty?: {
    /** 1 has no effect. */
    readonly penalty: 1
    readonly frequencyPenalty: number
    readonly presencePenalty: number
    readonly maxPunishTokens: number
    readonly punishTokens: () => Token[]
  }
}

export interface ChatTemplate {
  /** @throws where the template refuses the conversation */
  render(values: Readonly<Record<string, unknown>>): string
}

export interface LlamaPackage {
  getLlama(options: {
    readonly gpu: 'auto' | false
    readonly build: 'never'
    readonly skipDownload: true
    readonly progressLogs: false
    readonly logger: (level: string, message: string) => void
  }): Promise<Llama>
  /** Reads a chat template as the package itself does. */
  readonly Template: new (
    text: string,
  ) => ChatTemplate
}

/**
 * Loads the package from where the operator installed it.
 * @param folder holds its node_modules; empty: beside the agent, else the working directory
 * @throws {ConfigError} that tells the command to install it
 */
export async function loadLlamaPackage(folder: string): Promise<LlamaPackage> {
  const entry = findEntry(folder)
  const version = versionOf(entry)
  if (version.split('.')[0] !== LLAMA_VERSION.split('.')[0]) {
    throw new ConfigError(
      `${NAME} ${version} is installed, the llama engine works with ${LLAMA_VERSION}. ${advice(folder)}`,
    )
  }
  try {
    const { getLlama } = await import(pathToFileURL(entry).href)
    const { Template } = createRequire(entry)('@huggingface/jinja')
    return { getLlama, Template }
  } catch (error) {
    throw new ConfigError(`${NAME} at ${dirname(entry)} cannot be loaded: ${wordsOf(error)}`)
  }
}

function findEntry(folder: string): string {
  const places = folder
    ? [join(toPath(folder), 'any.js')]
    : [import.meta.url, join(process.cwd(), 'any.js')]
  for (const place of places) {
    try {
      return createRequire(place).resolve(NAME)
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error
    }
  }
  const where = folder ? `in ${toPath(folder)}` : 'beside the agent'
  throw new ConfigError(
    `the llama engine needs the npm package ${NAME}, which is not ${where}. ${advice(folder)}`,
  )
}

/** A folder of its own: in one that npm keeps for something else it is swept out again. */
function advice(folder: string): string {
  const path = toPath(folder || '~/.svc-llama')
  const named = folder ? '' : `, and start with LLAMA_PACKAGE=${path}`
  return `Run: npm install --ignore-scripts --prefix ${path} ${NAME}@${LLAMA_VERSION}${named}`
}

// The entry is dist/index.js.
function versionOf(entry: string): string {
  return JSON.parse(readFileSync(resolve(entry, '../../package.json'), 'utf8')).version
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code
export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
