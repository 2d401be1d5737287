import { makeHeardTime } from '../../api/heard-time.ts'
import { type RefusalError, refuse } from '../../api/http/errors.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { LaneHealth } from '../../messages/lane.ts'
import { LANES, type Lane, SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import {
  type Hindrance,
  hear,
  hindranceOf,
  type LanePatience,
  type LaneStanding,
  unheard,
} from './lane-standing.ts'

/**
 * Whether a job that is taken on now can be locked, and its worker paid, in time. A lane moves to
 * another host in some seconds, and a node may be started anew: neither is reason to refuse anybody.
 */
export interface ChainHealth {
  /** @throws {RefusalError} 503, in words for the caller */
  requireLanes(): void
  stop(): void
}

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  /** Longest wait of a lock at which new jobs are still taken on. */
  readonly lockWaitMaxMs: DurationMs
}

const SILENCE_MS = 10_000
/**
 * The settle lane has more time: nobody waits for it. But anyone may take back a lock that is 180 s
 * old, and then the worker has worked for nothing: so new jobs are refused long before.
 */
const SETTLE: LanePatience = { heldUpMs: 30_000, oldestMs: 60_000, silenceMs: SILENCE_MS }
const LOCK_HELD_UP_MS = 6_000

export function makeChainHealth(options: Options): ChainHealth {
  const { bus, clock, log, lockWaitMaxMs } = options
  const patience: Readonly<Record<Lane, LanePatience>> = {
    lock: { heldUpMs: LOCK_HELD_UP_MS, oldestMs: lockWaitMaxMs, silenceMs: SILENCE_MS },
    settle: SETTLE,
  }
  const time = makeHeardTime({ bus, clock })
  let told: Hindrance | undefined
  const standing: Record<Lane, LaneStanding> = {
    lock: unheard(time.now()),
    settle: unheard(time.now()),
  }
  const subscription = bus.subscribe(SUBJECTS.laneHealth, (message) => {
    const health = message as LaneHealth
    const { lane } = health
    standing[lane] = hear(standing[lane], health, patience[lane], time.now())
  })

  const hindrance = (): { readonly lane: Lane; readonly why: Hindrance } | undefined => {
    for (const lane of LANES) {
      const why = hindranceOf(standing[lane], patience[lane], time.now())
      if (why) return { lane, why }
    }
    return undefined
  }

  return {
    requireLanes: () => {
      const found = hindrance()
      if (found?.why !== told) {
        told = found?.why
        if (found) log.warn(found, 'edge: new jobs are refused')
        else log.info('edge: new jobs are taken on again')
      }
      if (found) throw refusalOf(found.why)
    },
    stop: () => {
      time.stop()
      subscription.unsubscribe()
    },
  }
}

/** A host of a later version may name what this one does not know. */
const refusalOf = (why: Hindrance): RefusalError =>
  refuse('service_unavailable', `${WORDS[why] ?? HELD_UP} Nothing was charged; try again shortly.`)

const BEHIND = 'The settlement chain is far behind, so no new jobs are taken on at the moment.'
const NOT_ANSWERING =
  'The settlement chain does not answer or makes no blocks, so no new jobs are taken on at the moment.'
const HELD_UP = 'Payments are held up on our side, so no new jobs are taken on at the moment.'

const WORDS: Readonly<Record<Hindrance, string>> = {
  chain: NOT_ANSWERING,
  slow: BEHIND,
  fee_cap: BEHIND,
  signer: HELD_UP,
  gas_funds: HELD_UP,
  role: HELD_UP,
  settle_cap: HELD_UP,
  silent: HELD_UP,
}
