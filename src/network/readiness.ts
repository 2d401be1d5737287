import { z } from 'zod'
import type { Keys } from './keys.ts'
import type { Options } from './options.ts'
import type { Ports } from './ports.ts'
import { baseUrl, plannedModels } from './roles.ts'
import type { Screen } from './screen.ts'
import type { Program } from './supervisor.ts'
import { waitFor } from './waiting.ts'

export interface ReadinessSettings {
  readonly programs: readonly Program[]
  readonly ports: Ports
  readonly keys: Keys
  readonly options: Options
  readonly screen: Screen
}

// All from one address: less than the edges' burst limit lets pass, however many edges there are.
const LOOK_MS = 50
const PATIENCE_MS = 180_000
// An upstream that is down is not this network's fault, and may come later.
const UPSTREAM_PATIENCE_MS = 60_000

const modelListSchema = z.object({
  data: z.array(z.object({ id: z.string(), svc: z.object({ active_workers: z.number() }) })),
})
type ModelList = z.infer<typeof modelListSchema>['data']

/**
 * Waits until every edge lists all that the workers were told to serve.
 * @returns the models that are listed; none only behind an upstream or without workers
 * @throws when the network does not serve at all
 */
export async function waitForModels(settings: ReadinessSettings): Promise<readonly string[]> {
  const { programs, ports, keys, options } = settings
  const planned = plannedModels(programs)
  let lists: readonly (ModelList | undefined)[] = []

  async function look(): Promise<true | undefined> {
    lists = await Promise.all(ports.edges.map((port) => listModels(baseUrl(port), keys.api_key)))
    const any = options.counts.workers > 0
    return lists.every((list) => list && serves(list, planned, any)) || undefined
  }

  const patienceMs = options.upstreamUrl ? UPSTREAM_PATIENCE_MS : PATIENCE_MS
  const complete = await waitFor(look, patienceMs, LOOK_MS * ports.edges.length)
  const models = (lists[0] ?? []).map(({ id }) => id)
  if (!complete) warn(settings, lists)
  return models
}

function warn(
  { options, screen, ports }: ReadinessSettings,
  lists: readonly (ModelList | undefined)[],
): void {
  const silent = ports.edges.filter((_, i) => !lists[i])
  if (silent.length > 0)
    throw new Error(`no answer from ${silent.map(baseUrl).join(', ')}; see logs`)
  if (options.upstreamUrl) {
    screen.note(`! no worker serves a model yet: does ${options.upstreamUrl} answer?`)
  } else if (lists.some((list) => list!.length > 0)) {
    screen.note('! not every model has its workers yet; see the logs')
  } else {
    throw new Error('no worker has joined; see the logs of the workers and the pool')
  }
}

const serves = (list: ModelList, planned: ReadonlyMap<string, number>, any: boolean): boolean =>
  (list.length > 0 || !any) &&
  [...planned].every(
    ([id, workers]) => (list.find((m) => m.id === id)?.svc.active_workers ?? 0) >= workers,
  )

/** Undefined while the edge is not there or not yet able to answer. */
async function listModels(url: string, apiKey: string): Promise<ModelList | undefined> {
  const answer = await fetch(`${url}/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined)
  if (!answer) return undefined
  const body: unknown = await answer.json().catch(() => undefined)
  return answer.ok ? modelListSchema.safeParse(body).data?.data : undefined
}
