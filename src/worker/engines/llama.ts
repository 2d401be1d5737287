import { open } from 'node:fs/promises'
import { ConfigError } from '../../config/read.ts'
import type { Log } from '../../telemetry/log.ts'
import { type Engine, EngineFault, type EngineJob, type Piece } from '../engine.ts'
import type { LlamaFile } from './llama-files.ts'
import { LlamaModel } from './llama-model.ts'
import { type Llama, type LlamaPackage, loadLlamaPackage, wordsOf } from './llama-package.ts'

export interface LlamaOptions {
  readonly models: readonly LlamaFile[]
  /** Jobs at once, of each model. */
  readonly slots: number
  /** Tokens a job, prompt and answer together; 0: as many as the memory holds. */
  readonly contextTokens: number
  /** Layers kept on the GPU; 0: all on the CPU. */
  readonly gpuLayers: number | 'auto'
  /** CPU threads; 0: one a core that is made for it. */
  readonly threads: number
  /** Where node-llama-cpp is installed; empty: beside the agent. */
  readonly packageFolder: string
  readonly log: Log
}

/** A prompt is read in steps, so that a job told to stop does so between two of them. */
const STEP_TOKENS = { gpu: 512, cpu: 64 } as const

/**
 * Loads the models into this process.
 * @throws {ConfigError} for the operator: package, file or memory
 */
export async function openLlamaEngine(options: LlamaOptions): Promise<Engine> {
  for (const { path } of options.models) await requireGguf(path)
  const llamaPackage = await loadLlamaPackage(options.packageFolder)
  const llama = await startLlama(llamaPackage, options)
  const models = new Map<string, LlamaModel>()
  try {
    for (const file of options.models) {
      models.set(file.id, await loadModel(file, llama, llamaPackage, options))
    }
  } catch (error) {
    await llama.dispose()
    throw error
  }
  return new LlamaEngine(llama, models)
}

class LlamaEngine implements Engine {
  readonly name: string

  constructor(
    private readonly llama: Llama,
    private readonly loaded: ReadonlyMap<string, LlamaModel>,
  ) {
    this.name = `llama.cpp ${llama.gpu || 'cpu'}`
  }

  async models(): Promise<ReadonlyMap<string, number>> {
    return new Map([...this.loaded].map(([id, { contextWindow }]) => [id, contextWindow]))
  }

  async *generate(job: EngineJob, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
    const model = this.loaded.get(job.model)
    if (!model) throw new EngineFault('engine', `${job.model} is not loaded`)
    yield* model.generate(job, signal)
  }

  async close(): Promise<void> {
    for (const model of this.loaded.values()) await model.close()
    await this.llama.dispose()
  }
}

/** Never builds and never downloads: what runs is what the operator installed. */
async function startLlama(
  llamaPackage: LlamaPackage,
  { gpuLayers, log }: LlamaOptions,
): Promise<Llama> {
  try {
    return await llamaPackage.getLlama({
      gpu: gpuLayers === 0 ? false : 'auto',
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logger: (level, message) => log.debug({ level, llama: message.trim() }, 'llama.cpp says'),
    })
  } catch (error) {
    throw new ConfigError(
      `llama.cpp does not start: ${wordsOf(error)}. It comes in packages of its own for each kind of machine, such as @node-llama-cpp/linux-x64: were optional packages left out at install?`,
    )
  }
}

async function loadModel(
  { id, path }: LlamaFile,
  llama: Llama,
  { Template }: LlamaPackage,
  { slots, contextTokens, gpuLayers, threads, log }: LlamaOptions,
): Promise<LlamaModel> {
  const weights = await llama.loadModel({ modelPath: path, gpuLayers }).catch((error: unknown) => {
    throw new ConfigError(
      `${path} cannot be loaded: ${wordsOf(error)}. Is it a whole GGUF file, and does it fit in memory?`,
    )
  })
  const templateText = weights.fileInfo.metadata.tokenizer?.chat_template
  if (!templateText) {
    throw new ConfigError(`${path} has no chat template: take a GGUF of the model's chat version`)
  }
  const most = Math.min(weights.trainContextSize, contextTokens || Infinity)
  const contextSize = contextTokens === 0 ? { max: most } : { min: most, max: most }
  const context = await weights
    .createContext({ sequences: slots, contextSize, ...(threads ? { threads } : {}) })
    .catch((error: unknown) => {
      throw new ConfigError(
        `${path}: no room for ${slots} jobs of ${most} tokens at once (${wordsOf(error)}); lower WORKER_SLOTS or LLAMA_CONTEXT`,
      )
    })
  // llama.cpp rounds up.
  const window = Math.min(context.contextSize, most)
  log.info(
    { model: id, path, contextWindow: window, slots, gpuLayers: weights.gpuLayers },
    'model loaded',
  )
  return new LlamaModel({
    weights,
    template: new Template(templateText),
    templateText,
    sequences: Array.from({ length: slots }, () => context.getSequence()),
    contextWindow: window,
    stepTokens: llama.gpu ? STEP_TOKENS.gpu : STEP_TOKENS.cpu,
  })
}

const GGUF_VERSIONS = [2, 3]
const HEAD_BYTES = 8

/** The package itself reads on for ever in what is no GGUF file. */
async function requireGguf(path: string): Promise<void> {
  const file = await open(path).catch((error: unknown) => {
    throw new ConfigError(`WORKER_MODELS: ${path} cannot be opened: ${wordsOf(error)}`)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const isGguf = bytesRead === HEAD_BYTES && buffer.toString('latin1', 0, 4) === 'GGUF'
    if (isGguf && GGUF_VERSIONS.includes(buffer.readUInt32LE(4))) return
  } finally {
    await file.close()
  }
  throw new ConfigError(`WORKER_MODELS: ${path} is no GGUF file that llama.cpp reads`)
}
