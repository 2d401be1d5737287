import 'reflect-metadata'
import { container } from 'tsyringe'
import { listening } from '../config/listening.ts'
import { monitored, type StartedRole, type Starting } from '../config/monitored.ts'
import type { Role } from '../config/process.ts'
import type { EdgeConfig } from '../config/schema.ts'
import { tracesOf } from '../config/tracing-settings.ts'
import { serviceNames } from '../domain/service-names.ts'
import { TOKENS } from '../ports/tokens.ts'
import type { Log } from '../telemetry/log.ts'
import { makeMetrics } from '../telemetry/metrics.ts'
import { openTraces } from '../telemetry/open-traces.ts'
import { connectEdge } from './connect.ts'
import { makeEdge } from './edge.ts'

/** Connects an edge to the world and opens its ports, first the one for operators. */
export async function composeEdge(config: EdgeConfig, log: Log): Promise<Role> {
  const metrics = makeMetrics({ process: config.MONITOR_PORT > 0 })
  metrics.gauge(
    {
      name: 'svc_lock_wait_max_seconds',
      help: 'EDGE_LOCK_WAIT_SECONDS, for alerts to compare with.',
    },
    () => config.EDGE_LOCK_WAIT_SECONDS,
  )
  return monitored({ config, metrics }, (starting) => startEdge(config, log, starting))
}

async function startEdge(config: EdgeConfig, log: Log, starting: Starting): Promise<StartedRole> {
  const c = container.createChildContainer()
  const { edgeId, escrowAddress, close } = await connectEdge(c, config, log, starting)
  const traces = await openTraces({ ...tracesOf(config), role: 'edge', instance: edgeId, log })
  const edge = makeEdge(
    {
      bus: c.resolve(TOKENS.bus),
      catalogue: c.resolve(TOKENS.catalogue),
      keys: c.resolve(TOKENS.keys),
      keyUses: c.resolve(TOKENS.keyUses),
      ledger: c.resolve(TOKENS.ledger),
      outputs: c.resolve(TOKENS.outputs),
      bursts: c.resolve(TOKENS.bursts),
      jobViews: c.resolve(TOKENS.jobViews),
      facts: c.resolve(TOKENS.factReader),
      listeners: c.resolve(TOKENS.listeners),
      metrics: starting.metrics,
      traces,
      clock: c.resolve(TOKENS.clock),
      log,
    },
    {
      edgeId,
      escrowAddress,
      names: serviceNames(config.SERVICE_PREFIX),
      docsUrl: config.DOCS_URL,
      trustProxy: config.EDGE_TRUST_PROXY,
      burst: { perSecond: config.EDGE_BURST_PER_SECOND, burst: config.EDGE_BURST },
      corsOrigins: new Set(config.EDGE_CORS_ORIGINS),
      jobWindowMs: config.JOB_WINDOW_SECONDS * 1_000,
      leaveMs: config.LEAVE_SECONDS * 1_000,
      drainMs: config.DRAIN_SECONDS * 1_000,
      lockWaitMaxMs: config.EDGE_LOCK_WAIT_SECONDS * 1_000,
    },
  )
  const address = await listening('EDGE_HOST, EDGE_PORT', () =>
    edge.listen({ host: config.EDGE_HOST, port: config.EDGE_PORT }),
  )
  log.info({ edgeId, address }, 'edge: ready')
  return {
    missing: () => edge.missing(),
    leave: () => edge.leave(),
    stop: async () => {
      await edge.stop()
      await Promise.all([close(), traces?.close()])
    },
  }
}
