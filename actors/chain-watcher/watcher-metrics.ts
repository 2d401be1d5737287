import type { Metrics } from '../../src/telemetry/metrics.ts'

/** How far the watcher is. Made once a process: one host at a time runs the watcher. */
export interface WatcherMetrics {
  /** Everything up to `taken` is in the ledger; the node's newest block is `head`. */
  at(head: number, taken: number): void
  reorg(): void
}

export function makeWatcherMetrics(metrics: Metrics): WatcherMetrics {
  let [head, taken] = [0, 0]
  metrics.gauge({ name: 'svc_chain_head_block', help: "The node's newest block." }, () => head)
  metrics.gauge(
    { name: 'svc_watcher_block', help: 'The newest block whose events the ledger holds.' },
    () => taken,
  )
  const reorgs = metrics.counter({
    name: 'svc_chain_reorgs_total',
    help: 'Times that blocks which had been read were taken back.',
  })
  return {
    at: (newHead, newTaken) => {
      head = newHead
      taken = newTaken
    },
    reorg: () => reorgs.inc({}),
  }
}
