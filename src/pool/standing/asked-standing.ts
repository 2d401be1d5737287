import type { Address } from '../../domain/ids.ts'
import type { DurationMs, UnixMs } from '../../domain/time.ts'
import type { StandingReply } from '../../messages/pool.ts'
import type { Canaries } from '../canary/canaries.ts'
import type { ModelTerms } from '../model-terms.ts'
import type { Demand } from '../placement/demand.ts'
import type { Placements } from '../placement/placement.ts'
import { toldStanding } from './told-standing.ts'

interface Deps {
  readonly placements: Placements
  readonly demand: Demand
  readonly canaries: Canaries | undefined
  readonly terms: ModelTerms
  /** What the time of those who ask is ahead of `at`. */
  readonly aheadMs: DurationMs
}

/**
 * What the pool knows of one worker, as it tells whoever asks.
 * @param at by the clock of rests, which is not set
 */
export function askedStanding(address: Address, at: UnixMs, deps: Deps): StandingReply {
  const { placements, demand, canaries, terms, aheadMs } = deps
  const seen = placements.look(address, (model) => demand.lastMinute(model, at))
  if (!seen) return { type: 'absent' }
  return toldStanding({
    ...seen,
    awaited: canaries?.awaitedBy(address) ?? [],
    leftOut: terms.leftOut(seen.session),
    software: seen.session.profile.software,
    ...{ at, aheadMs },
  })
}
