import { CATALOGUE, findModel, type Model } from '../../domain/models.ts'

/** A model of the catalogue, and what the upstream calls it. */
export interface ServedModel {
  readonly id: string
  readonly upstream: string
  /** In tokens. */
  readonly contextWindow: number
}

/** A model as the upstream lists it. */
export interface ListedModel {
  readonly id: string
  /** Largest context the upstream was started with, where it says so (vLLM does). */
  readonly max_model_len?: number | undefined
}

/** A wish from WORKER_MODELS: `id`, or `id=upstream-name`. */
export interface WantedModel {
  readonly model: Model
  readonly upstream: string | undefined
}

/** Names of Ollama's library for the catalogue's models; `latest` where it is the same weights. */
const OLLAMA_NAMES: Readonly<Record<string, string>> = {
  'llama3.3:70b': 'meta-llama/Llama-3.3-70B-Instruct',
  'llama3.3:latest': 'meta-llama/Llama-3.3-70B-Instruct',
  'deepseek-r1:70b': 'deepseek-ai/DeepSeek-R1-Distill-Llama-70B',
  'gemma3:27b': 'google/gemma-3-27b-it',
  'qwen3:14b': 'Qwen/Qwen3-14B',
  'qwen3:8b': 'Qwen/Qwen3-8B',
  'qwen3:latest': 'Qwen/Qwen3-8B',
  'mistral:7b': 'mistralai/Mistral-7B-Instruct-v0.3',
  'mistral:latest': 'mistralai/Mistral-7B-Instruct-v0.3',
  'llama3.2:3b': 'meta-llama/Llama-3.2-3B-Instruct',
  'llama3.2:latest': 'meta-llama/Llama-3.2-3B-Instruct',
  'qwen3:1.7b': 'Qwen/Qwen3-1.7B',
}

const byLowerCase = new Map(CATALOGUE.map((model) => [model.id.toLowerCase(), model]))

/** The catalogue's model of an upstream's name, or undefined. */
export function modelOf(name: string): Model | undefined {
  const lower = name.toLowerCase()
  const ollama = OLLAMA_NAMES[lower] ?? OLLAMA_NAMES[`${lower}:latest`]
  return findModel(name) ?? byLowerCase.get(lower) ?? (ollama ? findModel(ollama) : undefined)
}

/**
 * Reads WORKER_MODELS.
 * @throws naming an entry that is not in the catalogue
 */
export function parseWantedModels(text: string): WantedModel[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter(Boolean).map((entry) => {
    const [id = '', ...rest] = entry.split('=')
    const model = modelOf(id.trim())
    if (!model) {
      const ids = CATALOGUE.map((known) => known.id).join(', ')
      throw new Error(`WORKER_MODELS: ${id} is not in the catalogue; it has ${ids}`)
    }
    return { model, upstream: rest.join('=').trim() || undefined }
  })
}

/** Which models to serve, of those the upstream lists, and which of its names lead nowhere. */
export function matchModels(
  listed: readonly ListedModel[],
  wanted: readonly WantedModel[],
): { readonly served: ReadonlyMap<string, ServedModel>; readonly skipped: readonly string[] } {
  const served = new Map<string, ServedModel>()
  const skipped: string[] = []
  for (const entry of listed) {
    const model = wantedAs(entry.id, wanted)
    if (!model) skipped.push(entry.id)
    // The first of several names for one model wins; an exact name beats a likeness.
    else if (!served.has(model.id) || entry.id === model.id) {
      const contextWindow = Math.min(entry.max_model_len ?? Infinity, model.contextWindow)
      served.set(model.id, { id: model.id, upstream: entry.id, contextWindow })
    }
  }
  return { served, skipped }
}

function wantedAs(name: string, wanted: readonly WantedModel[]): Model | undefined {
  const mapped = wanted.find(({ upstream }) => upstream === name)
  if (mapped) return mapped.model
  const model = modelOf(name)
  if (!model || wanted.length === 0) return model
  return wanted.find((wish) => wish.upstream === undefined && wish.model === model)?.model
}
