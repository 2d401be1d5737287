import {
  type LeftOutModel,
  LeftOutModel_Reason as Reason,
  type TakenModel,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import { lastJobsEndAt } from '../domain/models.ts'
import { toUnixMs, type UnixMs } from '../domain/time.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Canaries } from './canary/canaries.ts'
import type { Placements } from './placement/placement.ts'
import type { Session } from './session/session.ts'

interface Options {
  readonly catalogue: Catalogue
  readonly placements: Placements
  /** Undefined: whatever is offered is taken for served. */
  readonly canaries: Canaries | undefined
  readonly clock: Clock
}

/** Keeps what each worker gets jobs of in step with the catalogue, and tells it. */
export class ModelTerms {
  /** What each worker was told last. */
  private readonly told = new WeakMap<Session, string>()
  /** When time alone will next end a model here. */
  private nextEndAt = toUnixMs(0)
  private renewedAt = toUnixMs(0)
  private readonly stopListening: () => void

  constructor(private readonly options: Options) {
    this.stopListening = options.catalogue.onChange(() => this.renew())
  }

  /** For a worker that has joined: when its hello was read, the catalogue may have been another. */
  apply(session: Session): void {
    const { catalogue, placements, canaries, clock } = this.options
    const { offered } = session.profile
    const { taken, leftOut } = sortModels(offered, catalogue, clock.now(), session.notServed)
    for (const { id } of leftOut) placements.dropModel(session, id)
    for (const { id, contextWindow } of taken) {
      if (this.mayServe(session, id)) placements.takeModel(session, id, contextWindow)
      else placements.dropModel(session, id)
    }
    const wanted = taken.map(({ id }) => id)
    canaries?.want(session, wanted)
    const said = JSON.stringify([taken, leftOut])
    if (this.told.get(session) === said) return
    this.told.set(session, said)
    session.send({ $case: 'models', value: { taken, leftOut } })
  }

  /** Models that it offers and gets no jobs of. */
  leftOut(session: Session) {
    const { catalogue, clock } = this.options
    return sortModels(session.profile.offered, catalogue, clock.now(), session.notServed).leftOut
  }

  /** What it was told last may have been lost. */
  tellAgain(session: Session): void {
    this.told.delete(session)
    this.apply(session)
  }

  /** Whether it may be offered jobs of this model from the moment in which it joins. */
  mayServe(session: Session, model: string): boolean {
    return this.options.canaries?.mayServe(session, model) ?? true
  }

  /** The worker itself does not serve what it offered. */
  notServed(session: Session, model: string): void {
    session.notServed.add(model)
    this.apply(session)
  }

  /** Looks whether time has ended a model, or a clock that was set back has not. Cheap while neither is so. */
  tick(now: UnixMs): void {
    if (now >= this.nextEndAt || now < this.renewedAt) this.renew()
  }

  stop(): void {
    this.stopListening()
  }

  private renew(): void {
    const { catalogue, placements, clock } = this.options
    const now = clock.now()
    const ends = catalogue.all().flatMap((model) => lastJobsEndAt(model) ?? [])
    this.nextEndAt = toUnixMs(Math.min(...ends.filter((at) => at > now)))
    this.renewedAt = now
    for (const session of placements.all()) this.apply(session)
  }
}

interface SortedModels {
  readonly taken: TakenModel[]
  readonly leftOut: LeftOutModel[]
}

/**
 * What of the models that a worker offers gets jobs now. A retired one still does while jobs that were
 * accepted before may need it: edges let no new ones in.
 * @param offered id to the largest context served; 0: as the catalogue says
 */
export function sortModels(
  offered: ReadonlyMap<string, number>,
  catalogue: Catalogue,
  at: UnixMs,
  notServed: ReadonlySet<string> = new Set(),
): SortedModels {
  const taken: TakenModel[] = []
  const leftOut: LeftOutModel[] = []
  for (const [id, served] of offered) {
    const model = catalogue.find(id)
    const endAt = model ? lastJobsEndAt(model) : null
    if (!model) leftOut.push({ id, reason: Reason.REASON_NOT_LISTED })
    else if (endAt !== null && endAt <= at) leftOut.push({ id, reason: Reason.REASON_RETIRED })
    else if (notServed.has(id)) leftOut.push({ id, reason: Reason.REASON_NOT_SERVED })
    else {
      const contextWindow = Math.min(served || model.contextWindow, model.contextWindow)
      taken.push({ id, contextWindow, retiresAt: model.retiresAt ?? 0 })
    }
  }
  return { taken, leftOut }
}

const NAMED_MAX = 5

/**
 * For people.
 * @param offered how many there were: more than are kept, perhaps
 */
export function whyLeftOut(leftOut: readonly LeftOutModel[], offered = leftOut.length): string {
  if (offered === 0) return 'none at all'
  const named = leftOut.slice(0, NAMED_MAX).map(({ id, reason }) => {
    return `${id} is ${reason === Reason.REASON_RETIRED ? 'retired' : 'not listed'}`
  })
  if (named.length === 0) return `${offered} under what can be no id of a model`
  const more = offered - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
