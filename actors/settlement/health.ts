import type { LaneHealth } from '../../src/messages/lane.ts'
import { type Lane, SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { EscrowReader } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { LaneMetrics } from './lane-metrics.ts'
import { makeTroubles, type Troubles } from './troubles.ts'

/** Tells the edges how the lane fares, so that they take on only what can be locked in time. */
export interface Health {
  readonly troubles: Troubles
  start(backlog: () => Backlog): void
  stop(): void
}

export interface Backlog {
  readonly count: number
  /** By the monotonic clock. */
  readonly oldestAt?: number
}

interface Options {
  readonly lane: Lane
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly reader: EscrowReader
  readonly metrics: LaneMetrics
}

const TELL_MS = 500
/** An idle lane asks nothing of the chain; this finds out whether it would be answered. */
const PULSE_MS = 1_000
/** A node that takes longer to tell its head is as good as down. */
const PULSE_LATE_MS = 3_000

export function makeHealth({ lane, bus, clock, log, reader, metrics }: Options): Health {
  let backlog: (() => Backlog) | undefined
  let stops: readonly (() => void)[] = []

  const tell = () => {
    if (!backlog) return
    const { count, oldestAt } = backlog()
    const oldestMs = oldestAt === undefined ? 0 : Math.round(clock.monotonic() - oldestAt)
    const heldUp = troubles.heldUp()
    const health: LaneHealth = { lane, heldUp, waiting: count, oldestMs }
    metrics.stands(lane, { waiting: count, oldestMs, heldUp: Boolean(heldUp) })
    bus.publish(SUBJECTS.laneHealth, health)
  }
  const troubles = makeTroubles(clock, tell)

  let silent: (() => void) | undefined
  let asking = false
  const fallSilent = () => {
    silent ??= troubles.begin('chain')
  }
  // One that does not answer at all is told of by whoever asked it something; of one that is slow nobody says a word.
  const fallLate = () => {
    if (!silent)
      log.warn({ lane, waitedMs: PULSE_LATE_MS }, 'lane: the node is slow to tell its head')
    fallSilent()
  }
  const pulse = async () => {
    if (asking) return
    asking = true
    const cancel = clock.after(PULSE_LATE_MS, fallLate)
    try {
      await reader.head()
      silent?.()
      silent = undefined
    } catch (error) {
      log.debug({ err: error, lane }, 'lane: the chain does not tell its head')
      fallSilent()
    } finally {
      cancel()
      asking = false
    }
  }

  return {
    troubles,
    start: (of) => {
      backlog = of
      stops = [clock.every(TELL_MS, tell), clock.every(PULSE_MS, () => void pulse())]
      tell()
      void pulse()
    },
    stop: () => {
      for (const stop of stops) stop()
      backlog = undefined
      metrics.stands(lane, undefined)
    },
  }
}
