import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outputs } from '../../ports/outputs.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Span } from '../../telemetry/traces.ts'
import type { JobLine } from '../job-line.ts'
import type { ModelTerms } from '../model-terms.ts'
import type { Placements } from '../placement/placement.ts'
import type { PoolMetrics } from '../pool-metrics.ts'
import type { Contradictions } from '../strikes/contradictions.ts'
import type { Strikes } from '../strikes/strikes.ts'
import type { EdgeOutbox } from './edge-outbox.ts'

/** What an attempt stands on. */
export interface AttemptDeps {
  readonly placements: Placements
  readonly terms: ModelTerms
  readonly strikes: Strikes
  readonly bus: Bus
  readonly jobs: JobLine
  readonly contradictions: Contradictions
  readonly outbox: EdgeOutbox
  readonly outputs: Outputs
  /** Deadlines and proofs are in its time, which workers hear. */
  readonly clock: Clock
  /** Other hosts hold against theirs what is dated by it. */
  readonly wall: Clock
  readonly log: Log
  readonly counts: PoolMetrics
  /** Of this attempt; undefined: it is not traced. */
  readonly span?: Span | undefined
  /** EIP-712 domain of JobEscrow. */
  readonly separator: Uint8Array
  /** Called once: no worker is on it any more, what is left is telling the job. */
  readonly onEnded: () => void
}
