import { isModelId, LAUNCH_LINEUP } from '../../domain/models.ts'

/** A model by its id in the catalogue, and what the upstream calls it. */
export interface ServedModel {
  readonly id: string
  readonly upstream: string
  /** In tokens; 0: the upstream does not say. */
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
  readonly id: string
  readonly upstream: string | undefined
}

/** Names of Ollama's library for the launch lineup; `latest` where it is the same weights. */
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

const byLowerCase = new Map(LAUNCH_LINEUP.map(({ id }) => [id.toLowerCase(), id]))

/**
 * The catalogue's id for an upstream's name. The agent reads no chain: it knows other names only for the
 * launch lineup, and takes any other name for an id as it stands. Whether the catalogue lists that
 * is the pool's to say, so a model that was listed yesterday needs no newer agent.
 */
export function modelIdOf(name: string): string {
  const lower = name.toLowerCase()
  const ollama = OLLAMA_NAMES[lower] ?? OLLAMA_NAMES[`${lower}:latest`]
  return byLowerCase.get(lower) ?? ollama ?? name
}

/**
 * Reads WORKER_MODELS.
 * @throws naming an entry that can be no model's id
 */
export function parseWantedModels(text: string): WantedModel[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter(Boolean).map((entry) => {
    const [name = '', ...rest] = entry.split('=')
    const id = modelIdOf(name.trim())
    if (!isModelId(id)) {
      throw new Error(
        `WORKER_MODELS: ${entry} begins with no model id; write id or id=upstream-name`,
      )
    }
    return { id, upstream: rest.join('=').trim() || undefined }
  })
}

/** Which models to offer, of those the upstream lists, and which of its names were not wanted. */
export function matchModels(
  listed: readonly ListedModel[],
  wanted: readonly WantedModel[],
): { readonly served: ReadonlyMap<string, ServedModel>; readonly skipped: readonly string[] } {
  const served = new Map<string, ServedModel>()
  const skipped: string[] = []
  for (const entry of listed) {
    const id = wantedAs(entry.id, wanted)
    if (id === undefined) skipped.push(entry.id)
    // The first of several names for one model wins; an exact name beats a likeness.
    else if (!served.has(id) || entry.id === id) {
      served.set(id, { id, upstream: entry.id, contextWindow: entry.max_model_len ?? 0 })
    }
  }
  return { served, skipped }
}

function wantedAs(name: string, wanted: readonly WantedModel[]): string | undefined {
  // Ollama lists `own` as `own:latest`, and knows it by either name.
  const names = [name, name.replace(/:latest$/, '')]
  const mapped = wanted.find(({ upstream }) => upstream && names.includes(upstream))
  if (mapped) return mapped.id
  const id = modelIdOf(name)
  if (wanted.length === 0) return isModelId(id) ? id : undefined
  return wanted.find((wish) => wish.upstream === undefined && wish.id === id)?.id
}
