import type { Lane } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { EscrowReader, EscrowWriter } from '../../src/ports/escrow.ts'
import type { Journal } from '../../src/ports/journal.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Traces } from '../../src/telemetry/traces.ts'
import type { LaneMetrics } from './lane-metrics.ts'

/** When a job hears of its lock: once it is in a block, or already when the node has taken it. */
export type RouteAt = 'included' | 'broadcast'

export interface LaneOptions {
  readonly lane: Lane
  readonly bus: Bus
  /** Stream TX. */
  readonly journal: Journal
  readonly writer: EscrowWriter
  readonly reader: EscrowReader
  readonly clock: Clock
  readonly log: Log
  readonly metrics: LaneMetrics
  /** Undefined: nothing is traced. */
  readonly traces?: Traces | undefined
  /** Most items in one transaction. */
  readonly itemsMax: number
  readonly confirmLockAt: RouteAt
  /** Of workers, at the network's expense; 0 or left out: any number. */
  readonly registrationsPerHour?: number
}
