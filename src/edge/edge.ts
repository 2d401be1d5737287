import type { Address } from '../domain/ids.ts'
import type { DurationMs } from '../domain/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger, Outputs } from '../ports/ledger.ts'
import type { Registry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'
import { makeAdmission } from './admission.ts'
import { makeAuth } from './auth.ts'
import { makeBalances } from './balances.ts'
import { requireCaller } from './caller.ts'
import { makeServerClosing } from './close-server.ts'
import { makeJobs } from './jobs.ts'
import { makePools } from './pools.ts'
import { makeReadiness } from './readiness.ts'
import { account } from './routes/account.ts'
import { chatCompletions } from './routes/chat-completions.ts'
import { health } from './routes/health.ts'
import { jobs as jobRoutes } from './routes/jobs.ts'
import { models } from './routes/models.ts'
import { makeRunJob } from './run-job.ts'
import { makeServer } from './server.ts'
import { makeWaiting } from './waiting.ts'
import { refuseWrongMethods } from './wrong-method.ts'

export interface EdgePorts {
  readonly bus: Bus
  readonly keys: Registry
  readonly ledger: Ledger
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
}

export interface EdgeSettings {
  /** Unique to this process. */
  readonly edgeId: string
  readonly docsUrl: string
  readonly trustProxy: boolean | string
  readonly jobWindowMs: DurationMs
  readonly escrowAddress: Address
}

export interface Edge {
  /** @returns the address it listens on */
  listen(options: { host: string; port: number }): Promise<string>
  /** Stops accepting, lets running requests finish, then cuts what is left. */
  stop(): Promise<void>
}

/** The public API on top of its ports. */
export function makeEdge(ports: EdgePorts, settings: EdgeSettings): Edge {
  const { bus, keys, clock, log } = ports
  const auth = makeAuth({ keys, bus, clock, log })
  const pools = makePools(ports)
  const jobs = makeJobs(ports)
  const balances = makeBalances(ports)
  const waiting = makeWaiting({ ...ports, edgeId: settings.edgeId })
  const admission = makeAdmission({ ...ports, ...settings, pools, balances })
  const runJob = makeRunJob({ ...ports, waiting, jobs })
  let draining = false
  const server = makeServer({ ...settings, log, draining: () => draining })
  const closeServer = makeServerClosing(server, clock)

  health(server, { readiness: makeReadiness(ports) })
  server.register(async (authenticated) => {
    requireCaller(authenticated, auth, balances)
    chatCompletions(authenticated, { ...settings, admission, runJob, balances, clock })
    models(authenticated, { ...settings, pools })
    jobRoutes(authenticated, { ...settings, jobs })
    account(authenticated, { balances })
  })
  refuseWrongMethods(server, {
    '/v1/chat/completions': ['POST'],
    '/v1/models': ['GET', 'HEAD'],
    '/v1/models/*': ['GET', 'HEAD'],
    '/v1/jobs/:id': ['GET', 'HEAD'],
    '/v1/account': ['GET', 'HEAD'],
    '/healthz': ['GET', 'HEAD'],
    '/readyz': ['GET', 'HEAD'],
  })

  return {
    listen: (options) => server.listen(options),
    stop: async () => {
      draining = true
      await closeServer()
      // What was cut has been cancelled by now; those cancellations still have to arrive.
      await Promise.race([jobs.settled(), after(clock, CANCELLATIONS_MS)])
      waiting.stop()
      pools.stop()
      auth.stop()
    },
  }
}

const CANCELLATIONS_MS = 3_000

const after = (clock: Clock, span: DurationMs): Promise<void> =>
  new Promise((resolve) => clock.after(span, resolve))
