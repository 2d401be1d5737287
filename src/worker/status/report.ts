import type { LeftOutModel, Standing } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Address } from '../../domain/ids.ts'
import { AGENT_VERSION } from '../../domain/version.ts'
import type { WorkerFacts } from '../chain/worker-facts.ts'

/** What an agent is about. */
export type Phase =
  /** Its engine loads what it is to serve. */
  | 'starting'
  /** The engine has nothing to serve, or does not answer. */
  | 'no_models'
  | 'dialling'
  | 'connected'
  /** The connection broke while jobs run: the same pool is dialled again. */
  | 'reconnecting'
  | 'draining'

/** All that an agent knows of itself, for people and programs. Plain data: it travels as JSON. */
export interface AgentReport {
  readonly worker: Address
  /** Of the agent. */
  readonly version: string
  readonly phase: Phase
  /** Address of the pool that was dialled last; null before the first. */
  readonly pool: string | null
  /** What that pool calls itself; null until it has welcomed this worker. */
  readonly poolName: string | null
  /** Number on chain; null until the pool told it. */
  readonly workerId: number | null
  readonly models: readonly string[]
  /** Models that the pool offers no jobs of. */
  readonly leftOut: readonly LeftOutModel[]
  readonly slots: number
  readonly busy: number
  /** Since this agent started. */
  readonly jobsDone: number
  readonly jobsFailed: number
  /**
   * Worker's share of the jobs done, in payment-token units (10 000 a credit), as text. What the
   * contract pays is on chain; this counts only models whose tier the agent knows.
   */
  readonly unitsEarned: string
  /** Why there is no connection, or no jobs though there is one, and what to do about it. */
  readonly trouble: string | null
  /** As the pool sees this worker; null before it said. */
  readonly standing: Standing | null
  /** As the chain sees it; null without --rpc, or before the first reading. */
  readonly chain: WorkerFacts | null
}

/** Of one whose engine is not there yet. */
export const startingReport = (worker: Address, slots: number): AgentReport => ({
  worker,
  version: AGENT_VERSION,
  phase: 'starting',
  ...{ pool: null, poolName: null, workerId: null },
  ...{ models: [], leftOut: [], slots, busy: 0 },
  ...{ jobsDone: 0, jobsFailed: 0, unitsEarned: '0' },
  ...{ trouble: null, standing: null, chain: null },
})
