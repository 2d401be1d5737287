import { z } from 'zod'

/**
 * How much context an upstream really has, where it tells. What it was started with counts, not what
 * the model could do: Ollama cuts a longer prompt short without a word, and the answer is to
 * something that nobody asked; LM Studio answers one with no word at all.
 */

/** A model as the upstream lists it. */
export const listedModel = z.object({
  id: z.string(),
  // vLLM and SGLang.
  max_model_len: z.number().optional().catch(undefined),
  // llama.cpp's server; Ollama says `library`, LM Studio `organization_owner`.
  owned_by: z.string().optional().catch(undefined),
  meta: z.object({ n_ctx_train: z.number() }).nullish().catch(undefined),
})
export type UpstreamEntry = z.infer<typeof listedModel>

/**
 * llama.cpp's server of most of 2025 lists a model while it still loads it, for minutes where it is large, and
 * refuses all else. One that has many and loads what it is asked for says nothing of `meta`.
 */
export const stillLoads = ({ owned_by, meta }: UpstreamEntry): boolean =>
  owned_by === 'llamacpp' && meta === null

/** Asks the upstream's own address (the base without /v1); undefined where it has no answer, a throw where it gives none. */
export type AskUpstream = (path: string, body?: object) => Promise<unknown>

/** A context in tokens; 0: it does not tell. */
export interface ToldContext {
  readonly tokens: number
  /** What it runs with at this moment; else what it may be, where nothing better is known. */
  readonly isSure: boolean
}

/** What Ollama starts a model with where nobody told it another context. */
const OLLAMA_CONTEXT = 4_096

/** Context windows by the upstream's names. */
export async function contextWindows(
  entries: readonly UpstreamEntry[],
  ask: AskUpstream,
): Promise<ReadonlyMap<string, ToldContext>> {
  const told = new Map<string, ToldContext>()
  let isSilent = false
  for (const entry of entries) {
    // A proxy before it may cut off whoever asks for anything but /v1: that is no reason to serve nothing.
    const context: ToldContext | null = isSilent
      ? listed(entry)
      : await contextOf(entry, ask).catch(() => null)
    isSilent ||= context === null
    told.set(entry.id, context ?? NOT_TOLD)
  }
  return told
}

const sure = (tokens: number): ToldContext => ({ tokens, isSure: true })
const perhaps = (tokens: number): ToldContext => ({ tokens, isSure: false })
const NOT_TOLD = perhaps(0)
const listed = ({ max_model_len }: UpstreamEntry): ToldContext =>
  max_model_len ? sure(max_model_len) : NOT_TOLD

async function contextOf(entry: UpstreamEntry, ask: AskUpstream): Promise<ToldContext> {
  if (entry.max_model_len) return listed(entry)
  if (entry.owned_by === 'llamacpp' || entry.meta) {
    const running = llamaCppProps.safeParse(await ask('/props'))
    const slot = running.success ? running.data.default_generation_settings.n_ctx : 0
    return slot ? sure(slot) : perhaps(entry.meta?.n_ctx_train ?? 0)
  }
  if (entry.owned_by === 'organization_owner') return lmStudioContext(entry.id, ask)
  return entry.owned_by === 'library' ? ollamaContext(entry.id, ask) : NOT_TOLD
}

const lmStudioModels = z.object({
  data: z.array(z.object({ id: z.string(), loaded_context_length: z.number().optional() })),
})

/** Told of a loaded model alone; the first job, the canary at the latest, has it loaded. */
async function lmStudioContext(name: string, ask: AskUpstream): Promise<ToldContext> {
  const listed = lmStudioModels.safeParse(await ask('/api/v0/models'))
  const models = listed.success ? listed.data.data : []
  const loaded = models.find(({ id }) => id === name)?.loaded_context_length
  return loaded === undefined ? NOT_TOLD : sure(loaded)
}

const llamaCppProps = z.object({ default_generation_settings: z.object({ n_ctx: z.number() }) })
const ollamaRunning = z.object({
  models: z.array(z.object({ model: z.string(), context_length: z.number().optional() })),
})
const ollamaModel = z.object({
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
})

/** A loaded model says its context; one that is not gets what its Modelfile names, or the default. */
async function ollamaContext(name: string, ask: AskUpstream): Promise<ToldContext> {
  const running = ollamaRunning.safeParse(await ask('/api/ps'))
  const loaded = running.success && running.data.models.find(({ model }) => model === name)
  if (loaded && loaded.context_length !== undefined) return sure(loaded.context_length)
  return perhaps(await ollamaStart(name, ask))
}

async function ollamaStart(name: string, ask: AskUpstream): Promise<number> {
  const shown = ollamaModel.safeParse(await ask('/api/show', { model: name }))
  if (!shown.success) return OLLAMA_CONTEXT
  const [, named] = /^num_ctx\s+(\d+)/m.exec(shown.data.parameters ?? '') ?? []
  if (named) return Number(named)
  const key = Object.keys(shown.data.model_info ?? {}).find((each) =>
    each.endsWith('.context_length'),
  )
  const trained = key === undefined ? undefined : shown.data.model_info?.[key]
  return Math.min(OLLAMA_CONTEXT, typeof trained === 'number' ? trained : OLLAMA_CONTEXT)
}
