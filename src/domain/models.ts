import type { Tier } from './tiers.ts'
import { addMs, type DurationMs, type UnixMs, unixSeconds } from './time.ts'

/** What never changes about a model; who serves it now is the pools' business. */
export interface Model {
  readonly id: string
  readonly publisher: string
  /** Unix seconds: of the public release for the launch lineup, of the listing for what came later. */
  readonly created: number
  readonly tier: Tier
  /** Size as people write it: `70B`. */
  readonly parameters: string
  /** Largest accepted context, prompt and answer together, in tokens. */
  readonly contextWindow: number
}

/** A model as the registry on chain has it. */
export interface CatalogueModel extends Model {
  readonly listedAt: UnixMs
  /** From then on it is retired; null while nobody wants that. */
  readonly retiresAt: UnixMs | null
}

/** `retiring` works as `listed` does: it is only known until when. */
export type ModelStatus = 'listed' | 'retiring' | 'retired'

/** By time alone: nobody has to be told that a notice has run out. */
export function modelStatus({ retiresAt }: CatalogueModel, at: UnixMs): ModelStatus {
  if (retiresAt === null) return 'listed'
  return at < retiresAt ? 'retiring' : 'retired'
}

/** No lock outlives this, so no job does that was accepted before its model retired. */
const LAST_JOBS_MS: DurationMs = 180_000

/** Until then jobs that were accepted in time may need a worker of the model; null: for ever. */
export const lastJobsEndAt = ({ retiresAt }: CatalogueModel): UnixMs | null =>
  retiresAt === null ? null : addMs(retiresAt, LAST_JOBS_MS)

const ID_LENGTH_MAX = 96

/** Whether the registry would take it as an id: printable ASCII without spaces, up to 96 bytes. */
export const isModelId = (text: string): boolean =>
  text.length <= ID_LENGTH_MAX && /^[\x21-\x7e]+$/.test(text)

/** What the registry on chain says of a model. */
export type RegistryEntry = Omit<CatalogueModel, 'created'>

/**
 * The registry knows when it listed a model, not when the model was released. For the launch lineup,
 * all listed in one minute, the release is known; for the others the listing is what anybody can check.
 */
export function catalogueModel(entry: RegistryEntry): CatalogueModel {
  const created = releases.get(entry.id) ?? unixSeconds(entry.listedAt)
  return { ...entry, created }
}

/**
 * The launch lineup (specification, "Launch lineup by size"): open models under their publishers'
 * ids. A deployment lists them in the registry on chain; from then on the registry is the catalogue.
 */
export const LAUNCH_LINEUP: readonly Model[] = [
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

const releases = new Map(LAUNCH_LINEUP.map(({ id, created }) => [id, created]))
