import { z } from 'zod'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { Keys } from '../data/keys.ts'
import type { Options } from '../options.ts'
import type { Ports } from '../ports.ts'
import type { Screen } from '../screen.ts'
import { waitFor } from '../waiting.ts'
import type { Program } from './kept-program.ts'
import { baseUrl, plannedModels } from './roles.ts'

export interface ReadinessSettings {
  readonly programs: readonly Program[]
  readonly ports: Ports
  readonly keys: Keys
  readonly names: ServiceNames
  readonly options: Options
  readonly screen: Screen
}

// All from one address: less than the edges' burst limit lets pass, however many edges there are.
const LOOK_MS = 50
const PATIENCE_MS = 180_000
// An upstream that is down is not this network's fault, and may come later.
const UPSTREAM_PATIENCE_MS = 60_000

const modelList = z.object({ data: z.array(z.looseObject({ id: z.string() })) })
const liveData = z.object({ active_workers: z.number() })
/** Models by id, and how many workers serve each. */
type ModelList = ReadonlyMap<string, number>

/**
 * Waits until every edge lists all that the workers were told to serve.
 * @returns the models that are listed; none only behind an upstream or without workers
 * @throws when the network does not serve at all
 */
export async function waitForModels(settings: ReadinessSettings): Promise<readonly string[]> {
  const { programs, ports, keys, names, options } = settings
  const planned = plannedModels(programs)
  let lists: readonly (ModelList | undefined)[] = []

  async function look(): Promise<true | undefined> {
    const { api_key: apiKey } = keys
    const asked = ports.edges.map((port) => listModels(baseUrl(port), { apiKey, names }))
    lists = await Promise.all(asked)
    const any = options.counts.workers > 0
    return lists.every((list) => list && serves(list, planned, any)) || undefined
  }

  const patienceMs = options.upstreamUrl ? UPSTREAM_PATIENCE_MS : PATIENCE_MS
  const complete = await waitFor(look, patienceMs, LOOK_MS * ports.edges.length)
  const models = [...(lists[0]?.keys() ?? [])]
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
    // Its own words for it are warnings, which the screen does not show.
    screen.note(
      `! no worker serves a model yet: does ${options.upstreamUrl} answer, and does the catalogue list its ` +
        'models? logs/worker-1.log says; WORKER_MODELS=id=its-name maps another name',
    )
  } else if (lists.some((list) => list!.size > 0)) {
    screen.note('! not every model has its workers yet; see the logs')
  } else {
    throw new Error('no worker has joined; see the logs of the workers and the pool')
  }
}

const serves = (list: ModelList, planned: ReadonlyMap<string, number>, any: boolean): boolean =>
  (list.size > 0 || !any) && [...planned].every(([id, workers]) => (list.get(id) ?? 0) >= workers)

/** Undefined while the edge is not there or not yet able to answer. */
async function listModels(
  url: string,
  { apiKey, names }: { readonly apiKey: string; readonly names: ServiceNames },
): Promise<ModelList | undefined> {
  const answer = await fetch(`${url}/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined)
  if (!answer) return undefined
  const body: unknown = await answer.json().catch(() => undefined)
  const models = answer.ok ? modelList.safeParse(body).data?.data : undefined
  return (
    models &&
    new Map(
      models.map((m) => [m.id, liveData.safeParse(m[names.object]).data?.active_workers ?? 0]),
    )
  )
}
