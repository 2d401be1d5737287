import type { Tier } from './tiers.ts'

/** What never changes about a model; who serves it now is the pools' business. */
export interface Model {
  readonly id: string
  readonly publisher: string
  /** Unix seconds of the model's public release. */
  readonly created: number
  readonly tier: Tier
  /** Size as people write it: `70B`. */
  readonly parameters: string
  /** Largest accepted context, prompt and answer together, in tokens. */
  readonly contextWindow: number
}

/**
 * The launch lineup (specification, "Launch lineup by size"): open models under their publishers'
 * ids. Listing one takes a worker that serves it.
 */
export const CATALOGUE: readonly Model[] = [
  {
    id: 'meta-llama/Llama-3.3-70B-Instruct',
    publisher: 'meta-llama',
    created: 1733443200,
    tier: 'max',
    parameters: '70B',
    contextWindow: 131_072,
  },
  {
    id: 'deepseek-ai/DeepSeek-R1-Distill-Llama-70B',
    publisher: 'deepseek-ai',
    created: 1737331200,
    tier: 'max',
    parameters: '70B',
    contextWindow: 131_072,
  },
  {
    id: 'google/gemma-3-27b-it',
    publisher: 'google',
    created: 1741737600,
    tier: 'pro',
    parameters: '27B',
    contextWindow: 131_072,
  },
  {
    id: 'Qwen/Qwen3-14B',
    publisher: 'Qwen',
    created: 1745798400,
    tier: 'pro',
    parameters: '14B',
    contextWindow: 32_768,
  },
  {
    id: 'Qwen/Qwen3-8B',
    publisher: 'Qwen',
    created: 1745798400,
    tier: 'standard',
    parameters: '8B',
    contextWindow: 32_768,
  },
  {
    id: 'mistralai/Mistral-7B-Instruct-v0.3',
    publisher: 'mistralai',
    created: 1716336000,
    tier: 'standard',
    parameters: '7B',
    contextWindow: 32_768,
  },
  {
    id: 'meta-llama/Llama-3.2-3B-Instruct',
    publisher: 'meta-llama',
    created: 1727222400,
    tier: 'lite',
    parameters: '3B',
    contextWindow: 131_072,
  },
  {
    id: 'Qwen/Qwen3-1.7B',
    publisher: 'Qwen',
    created: 1745798400,
    tier: 'lite',
    parameters: '1.7B',
    contextWindow: 32_768,
  },
]

const byId = new Map(CATALOGUE.map((model) => [model.id, model]))

/** The model of exactly this id, or undefined. */
export const findModel = (id: string): Model | undefined => byId.get(id)
