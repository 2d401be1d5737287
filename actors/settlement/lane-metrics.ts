import type { Lane } from '../../src/messages/subjects.ts'
import type { Batch, Receipt } from '../../src/ports/escrow.ts'
import type { Metrics } from '../../src/telemetry/metrics.ts'
import { KINDS } from './queue.ts'

/** What the lanes of one host did. Made once a process: a lane comes and goes with its owner. */
export interface LaneMetrics {
  included(lane: Lane, batch: Batch, receipt: Pick<Receipt, 'succeeded'>, tookMs: number): void
  /** How the lane stands; undefined: it is not run here any more. */
  stands(lane: Lane, standing: LaneStanding | undefined): void
}

interface LaneStanding {
  readonly waiting: number
  readonly oldestMs: number
  readonly heldUp: boolean
}

export function makeLaneMetrics(metrics: Metrics): LaneMetrics {
  const transactions = metrics.counter({
    name: 'svc_lane_transactions_total',
    help: 'Transactions in a block, by lane, kind and whether they succeeded.',
    labels: ['lane', 'kind', 'result'],
  })
  // A series that begins at 1 has not grown for who looks: the alert would miss the first revert.
  for (const kind of KINDS) {
    const lane: Lane = kind === 'lock' ? 'lock' : 'settle'
    for (const result of ['included', 'reverted']) transactions.inc({ lane, kind, result }, 0)
  }
  const items = metrics.counter({
    name: 'svc_lane_items_total',
    help: 'Locks, settlements, refunds and disputes in those transactions.',
    labels: ['lane', 'kind'],
  })
  const inclusion = metrics.histogram({
    name: 'svc_lane_inclusion_seconds',
    help: 'From the sending of a transaction to its receipt.',
    labels: ['lane'],
  })
  const standings = new Map<Lane, LaneStanding>()
  const each = (read: (standing: LaneStanding) => number) => () =>
    new Map([...standings].map(([lane, standing]) => [lane as string, read(standing)]))
  const gauge = (name: `svc_${string}`, help: string, read: (standing: LaneStanding) => number) =>
    metrics.gauge({ name, help, labels: ['lane'] }, each(read))
  gauge(
    'svc_lane_waiting',
    'Intents that wait for a transaction, or are in one without a receipt.',
    ({ waiting }) => waiting,
  )
  gauge(
    'svc_lane_oldest_seconds',
    'How long the oldest of them has waited.',
    (standing) => standing.oldestMs / 1_000,
  )
  gauge('svc_lane_held_up', '1: something keeps the lane from working.', ({ heldUp }) =>
    heldUp ? 1 : 0,
  )

  return {
    included: (lane, batch, { succeeded }, tookMs) => {
      transactions.inc({ lane, kind: batch.type, result: succeeded ? 'included' : 'reverted' })
      items.inc({ lane, kind: batch.type }, batch.items.length)
      inclusion.observe({ lane }, tookMs / 1_000)
    },
    stands: (lane, standing) => {
      if (standing) standings.set(lane, standing)
      else standings.delete(lane)
    },
  }
}
