import type { Metrics } from '../../src/telemetry/metrics.ts'

/** How far the watcher is. Made once a process: one host at a time runs the watcher. */
export interface WatcherMetrics {
  at(blocks: HowFar): void
  reorg(): void
}

interface HowFar {
  /** The node's newest block. */
  readonly head: number
  /** The newest one that has its confirmations: the watcher reads no further. */
  readonly final: number
  /** Everything up to this one is in the ledger. */
  readonly taken: number
}

export function makeWatcherMetrics(metrics: Metrics): WatcherMetrics {
  let at: HowFar = { head: 0, final: 0, taken: 0 }
  metrics.gauge({ name: 'svc_chain_head_block', help: "The node's newest block." }, () => at.head)
  metrics.gauge(
    { name: 'svc_chain_final_block', help: 'The newest block that has its confirmations.' },
    () => at.final,
  )
  metrics.gauge(
    { name: 'svc_watcher_block', help: 'The newest block whose events the ledger holds.' },
    () => at.taken,
  )
  const reorgs = metrics.counter({
    name: 'svc_chain_reorgs_total',
    help: 'Times that blocks which had been read were taken back.',
  })
  return {
    at: (blocks) => {
      at = blocks
    },
    reorg: () => reorgs.inc({}),
  }
}
