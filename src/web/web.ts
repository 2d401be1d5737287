import { makeBalances } from '../api/balances.ts'
import { makeBurstLimit } from '../api/http/burst-limit.ts'
import { makeServerClosing } from '../api/http/close-server.ts'
import { countAnswers } from '../api/http/http-metrics.ts'
import { makeLeaving } from '../api/http/leaving.ts'
import { makeReadiness } from '../api/http/readiness.ts'
import type { TrustProxy } from '../api/http/server-options.ts'
import { makeJobHistory } from '../api/jobs/job-history.ts'
import { makeJobs } from '../api/jobs/jobs.ts'
import { makePools } from '../api/models/pools.ts'
import { makeAskWebhooks } from '../api/webhooks/ask-webhooks.ts'
import { toAddress } from '../domain/ids.ts'
import type { ServiceNames } from '../domain/service-names.ts'
import type { DurationMs } from '../domain/time.ts'
import type { BurstBuckets, BurstTerms } from '../ports/burst-buckets.ts'
import type { Bus } from '../ports/bus.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Clock } from '../ports/clock.ts'
import type { JobViews } from '../ports/job-views.ts'
import type { KeyUses } from '../ports/key-uses.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { NetworkReader } from '../ports/network-chain.ts'
import type { Registry } from '../ports/registry.ts'
import type { DepositRelay, Faucet, SignIn, WalletReader } from '../ports/web-chain.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { WebConfig } from './api.ts'
import { refuseForgeries, securityHeaders } from './http/security.ts'
import { makeServer } from './http/server.ts'
import type { StaticFile } from './http/static.ts'
import { makeKeyring } from './keys/keyring.ts'
import { makeFollowers } from './live/followers.ts'
import { account } from './routes/account.ts'
import { app } from './routes/app.ts'
import { config } from './routes/config.ts'
import { depositAddress } from './routes/deposit-address.ts'
import { deposits } from './routes/deposits.ts'
import { development } from './routes/development.ts'
import { events } from './routes/events.ts'
import { health } from './routes/health.ts'
import { jobs as jobRoutes } from './routes/jobs.ts'
import { key } from './routes/key.ts'
import { models } from './routes/models.ts'
import { movements } from './routes/movements.ts'
import { network } from './routes/network.ts'
import { session, signingIn } from './routes/session.ts'
import { settings as settingsRoutes } from './routes/settings.ts'
import { webhookDeliveries } from './routes/webhook-deliveries.ts'
import { webhooks } from './routes/webhooks.ts'
import { withdrawals } from './routes/withdrawals.ts'
import { workerStanding } from './routes/worker-standing.ts'
import { makeNonces } from './sessions/nonces.ts'
import { makeSessions } from './sessions/sessions.ts'
import { requireSession } from './sessions/signed-in.ts'
import { makeAskPools } from './workers/ask-pools.ts'

export interface WebPorts {
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly keys: Registry
  readonly keyrings: Registry
  readonly sessions: Registry
  readonly nonces: Registry
  readonly walletSettings: Registry
  readonly keyUses: KeyUses
  readonly ledger: Ledger
  readonly jobViews: JobViews
  readonly bursts: BurstBuckets
  readonly signIn: SignIn
  readonly reader: WalletReader
  readonly networkReader: NetworkReader
  readonly relay: DepositRelay | undefined
  readonly faucet: Faucet | undefined
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

export interface WebSettings {
  /** Of the public API, which keys are made for. */
  readonly names: ServiceNames
  /** Where people reach the app: a scheme and a host. */
  readonly origin: string
  readonly docsUrl: string
  readonly trustProxy: TrustProxy
  readonly burst: BurstTerms
  readonly sessionMs: DurationMs
  readonly jobWindowMs: DurationMs
  /** From the wish to end until requests are refused, while /readyz says 503. */
  readonly leaveMs: DurationMs
  /** Then: how long running requests may go on. */
  readonly drainMs: DurationMs
  /** What the app itself is told. */
  readonly config: WebConfig
  /** The built app, by path. */
  readonly files: ReadonlyMap<string, StaticFile>
}

export interface Web {
  /** @returns the address it listens on */
  listen(options: { host: string; port: number }): Promise<string>
  /** What it needs and does not have, in words; empty: it can serve. */
  missing(): Promise<readonly string[]>
  /** Says that it goes; resolves when whoever sends requests should have noticed. */
  leave(): Promise<void>
  /** Stops accepting, lets running requests finish, then cuts what is left. */
  stop(): Promise<void>
}

/** The web app and its API on top of their ports. */
export function makeWeb(ports: WebPorts, settings: WebSettings): Web {
  const { bus, clock, log, signIn, reader, networkReader, relay, faucet } = ports
  const { origin, jobWindowMs } = settings
  const { rpc_url } = settings.config.chain
  const apiUrl = settings.config.base_url
  const walletConnect = settings.config.walletconnect_project_id !== null
  const sessions = makeSessions({ registry: ports.sessions, lifeMs: settings.sessionMs, clock })
  const nonces = makeNonces({ registry: ports.nonces, clock })
  const keyring = makeKeyring({ ...ports, uses: ports.keyUses, names: settings.names })
  const balances = makeBalances(ports)
  // Nobody waits here for a job: they are only asked.
  const jobs = makeJobs({ ...ports, replyTo: '', sender: 'web' })
  const history = makeJobHistory({ ...ports, jobs })
  const pools = makePools(ports)
  const askPools = makeAskPools({ bus, pools })
  const ask = makeAskWebhooks(bus)
  const followers = makeFollowers(ports)
  const streams = new Set<() => void>()
  const burst = makeBurstLimit({ ...ports, buckets: ports.bursts, terms: settings.burst })
  const leaving = makeLeaving(clock, settings.leaveMs)
  const headers = securityHeaders({ origin, rpcUrl: rpc_url, apiUrl, walletConnect })
  const server = makeServer({ ...settings, burst, headers, clock, log, leaving })
  countAnswers(server, ports.metrics)
  const closeServer = makeServerClosing(server, clock, settings.drainMs)

  const readiness = makeReadiness({ ...ports, pools })
  health(server, { readiness, leaving })
  app(server, settings)
  server.register(async (api) => {
    refuseForgeries(api, origin)
    config(api, settings)
    models(api, { catalogue: ports.catalogue, pools })
    network(api, { pools, networkReader, clock, log })
    if (settings.config.development && faucet) development(api, { faucet })
    signingIn(api, { sessions, nonces, signIn, clock, origin })
    api.register(async (signedIn) => {
      requireSession(signedIn, { sessions, clock, log })
      session(signedIn)
      account(signedIn, { balances, history, reader, jobWindowMs, clock, log })
      movements(signedIn, { reader })
      depositAddress(signedIn, { bus, reader, config: settings.config, log })
      deposits(signedIn, { relay, log })
      withdrawals(signedIn, { bus, log })
      key(signedIn, { keyring })
      settingsRoutes(signedIn, { registry: ports.walletSettings })
      webhooks(signedIn, { ask, clock })
      webhookDeliveries(signedIn, { ask })
      jobRoutes(signedIn, { jobs, history, networkReader, clock, log, ...jobTerms(settings) })
      workerStanding(signedIn, { networkReader, askPools })
      events(signedIn, { followers, sessions, clock, open: streams, leaving })
    })
  })

  return {
    listen: (options) => server.listen(options),
    missing: () => readiness.missing(),
    leave: () => leaving.begin(),
    stop: async () => {
      leaving.close()
      // Before the server is closed: it would wait for them.
      for (const end of streams) end()
      await closeServer()
      burst.stop()
      followers.stop()
      pools.stop()
    },
  }
}

const jobTerms = ({ config }: WebSettings) => ({
  escrowAddress: toAddress(config.contracts.job_escrow),
  disputeWindowMs: config.dispute_window_seconds * 1_000,
})
