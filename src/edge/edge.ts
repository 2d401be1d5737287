import { makeBalances } from '../api/balances.ts'
import { makeBurstLimit } from '../api/http/burst-limit.ts'
import { makeServerClosing } from '../api/http/close-server.ts'
import { countAnswers } from '../api/http/http-metrics.ts'
import { makeLeaving } from '../api/http/leaving.ts'
import { makeReadiness } from '../api/http/readiness.ts'
import { makeJobHistory } from '../api/jobs/job-history.ts'
import { makeJobs } from '../api/jobs/jobs.ts'
import { makePools } from '../api/models/pools.ts'
import { makeAskWebhooks } from '../api/webhooks/ask-webhooks.ts'
import type { Address } from '../domain/ids.ts'
import type { ServiceNames } from '../domain/service-names.ts'
import type { DurationMs } from '../domain/time.ts'
import type { BurstBuckets, BurstTerms } from '../ports/burst-buckets.ts'
import type { Bus } from '../ports/bus.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import { type Clock, inTime } from '../ports/clock.ts'
import type { FactReader } from '../ports/fact-reader.ts'
import type { JobViews } from '../ports/job-views.ts'
import type { KeyUses } from '../ports/key-uses.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Outputs } from '../ports/outputs.ts'
import type { Registry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Traces } from '../telemetry/traces.ts'
import { makeAuth } from './callers/auth.ts'
import { requireCaller, tellStrays } from './callers/caller.ts'
import { makeAdmission } from './chat/admission.ts'
import { makeChainHealth } from './chat/chain-health.ts'
import { makeJobTimes } from './chat/job-times.ts'
import { makeJoining } from './chat/joining.ts'
import { makeRunJob } from './chat/run-job.ts'
import { makeListeners } from './events/listeners.ts'
import { makeCrossOrigin } from './http/cross-origin.ts'
import { makeServer } from './http/server.ts'
import { refuseWrongMethods } from './http/wrong-method.ts'
import { collectEndpoints } from './openapi/operation.ts'
import { account } from './routes/account.ts'
import { chatCompletions } from './routes/chat-completions.ts'
import { dispute } from './routes/dispute.ts'
import { docs } from './routes/docs.ts'
import { events } from './routes/events.ts'
import { health } from './routes/health.ts'
import { jobs as jobRoutes } from './routes/jobs.ts'
import { METHODS } from './routes/methods.ts'
import { models } from './routes/models.ts'
import { webhooks } from './routes/webhooks.ts'
import { makeSharedJobs } from './waiting/shared-jobs.ts'
import { makeWaiting } from './waiting/waiting.ts'

export interface EdgePorts {
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly keys: Registry
  readonly keyUses: KeyUses
  readonly ledger: Ledger
  readonly outputs: Outputs
  readonly jobViews: JobViews
  readonly bursts: BurstBuckets
  readonly facts: FactReader
  /** Bucket LISTENERS. */
  readonly listeners: Registry
  readonly metrics: Metrics
  /** Undefined: nothing is traced. */
  readonly traces?: Traces | undefined
  readonly clock: Clock
  readonly log: Log
}

export interface EdgeSettings {
  /** Unique to this process. */
  readonly edgeId: string
  readonly names: ServiceNames
  readonly docsUrl: string
  readonly trustProxy: boolean | string | number
  /** What one address may send; `burst` 0: as much as it likes. */
  readonly burst: BurstTerms
  /** Of web pages whose scripts may use the API. */
  readonly corsOrigins: ReadonlySet<string>
  readonly jobWindowMs: DurationMs
  /** From the wish to end until requests are refused, while /readyz says 503. */
  readonly leaveMs: DurationMs
  /** Then: how long running requests may go on. */
  readonly drainMs: DurationMs
  /** New jobs are refused while a lock has waited this long. */
  readonly lockWaitMaxMs: DurationMs
  readonly escrowAddress: Address
}

export interface Edge {
  /** @returns the address it listens on */
  listen(options: { host: string; port: number }): Promise<string>
  /** What it needs and does not have, in words; empty: it can serve. */
  missing(): Promise<readonly string[]>
  /** Says that it goes; resolves when whoever sends requests should have noticed. */
  leave(): Promise<void>
  /** Stops accepting, lets running requests finish, then cuts what is left. */
  stop(): Promise<void>
}

/** The public API on top of its ports. */
export function makeEdge(ports: EdgePorts, settings: EdgeSettings): Edge {
  const { bus, catalogue, keys, keyUses, clock, log } = ports
  const { names } = settings
  const auth = makeAuth({ keys, keyUses, bus, names, clock, log })
  const pools = makePools(ports)
  const waiting = makeWaiting({ ...ports, edgeId: settings.edgeId })
  const jobs = makeJobs({ ...ports, replyTo: waiting.replyTo })
  const history = makeJobHistory({ ...ports, jobs })
  const balances = makeBalances(ports)
  const sharedJobs = makeSharedJobs({ ...ports, waiting, jobs, balances })
  const chainHealth = makeChainHealth({ ...ports, ...settings })
  const admission = makeAdmission({ ...ports, ...settings, pools, chainHealth, balances })
  const joining = makeJoining({ ...ports, ...settings, sharedJobs, jobs, balances })
  const times = makeJobTimes(ports)
  const runJob = makeRunJob({ ...ports, waiting, sharedJobs, jobs, times })
  const burst = makeBurstLimit({ ...ports, buckets: ports.bursts, terms: settings.burst })
  const listeners = makeListeners(ports)
  const leaving = makeLeaving(clock, settings.leaveMs)
  const crossOrigin = makeCrossOrigin(settings.corsOrigins, names.headers)
  const server = makeServer({ ...settings, burst, crossOrigin, log, leaving })
  countAnswers(server, ports.metrics)
  const callers = { auth, balances, names }
  tellStrays(server, callers)
  const closeServer = makeServerClosing(server, clock, settings.drainMs)
  const endpoints = collectEndpoints(server)

  const readiness = makeReadiness({ ...ports, pools })
  health(server, { readiness, leaving })
  docs(server, { ...settings, endpoints })
  server.register(async (authenticated) => {
    requireCaller(authenticated, callers)
    const chat = { admission, joining, runJob, balances, clock, traces: ports.traces }
    chatCompletions(authenticated, { ...settings, ...chat })
    models(authenticated, { ...settings, catalogue, pools })
    jobRoutes(authenticated, { ...settings, history })
    dispute(authenticated, { jobs, history, clock, names })
    account(authenticated, { balances, names })
    events(authenticated, { ...ports, ...settings, auth, balances, listeners })
    webhooks(authenticated, { ask: makeAskWebhooks(bus), clock })
  })
  refuseWrongMethods(server, METHODS)

  return {
    listen: (options) => server.listen(options),
    missing: () => readiness.missing(),
    leave: () => leaving.begin(),
    stop: async () => {
      leaving.close()
      sharedJobs.drain()
      listeners.stop()
      await closeServer()
      // What was cut is cancelled: of a job that was joined a moment later. All of that still has to arrive.
      const cancelled = sharedJobs.empty().then(() => jobs.settled())
      await inTime(clock, CANCELLATIONS_MS, cancelled)
      burst.stop()
      sharedJobs.stop()
      waiting.stop()
      chainHealth.stop()
      pools.stop()
      auth.stop()
    },
  }
}

const CANCELLATIONS_MS = 3_000
