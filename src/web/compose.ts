import 'reflect-metadata'
import { join } from 'node:path'
import { container } from 'tsyringe'
import { listening } from '../config/listening.ts'
import { monitored, type StartedRole, type Starting } from '../config/monitored.ts'
import type { Role } from '../config/process.ts'
import type { WebConfig } from '../config/web-schema.ts'
import { serviceNames } from '../domain/service-names.ts'
import { TOKENS } from '../ports/tokens.ts'
import type { Log } from '../telemetry/log.ts'
import { makeMetrics } from '../telemetry/metrics.ts'
import { appConfig } from './app-config.ts'
import { connectWeb } from './connect.ts'
import { readStaticFiles } from './http/static.ts'
import { makeWeb } from './web.ts'

const DIST = join(import.meta.dirname, 'app', 'dist')

/** Connects the web app to the world and opens its ports, first the one for operators. */
export async function composeWeb(config: WebConfig, log: Log): Promise<Role> {
  const metrics = makeMetrics({ process: config.MONITOR_PORT > 0 })
  return monitored({ config, metrics }, (starting) => startWeb(config, log, starting))
}

async function startWeb(config: WebConfig, log: Log, starting: Starting): Promise<StartedRole> {
  const c = container.createChildContainer()
  const files = readStaticFiles(DIST)
  if (!files.has('/index.html')) {
    log.warn({ folder: DIST }, 'web: the app is not built; `npm run generate` builds it')
  }
  const { contracts, close } = await connectWeb(c, config, log, starting)
  const web = makeWeb(
    {
      bus: c.resolve(TOKENS.bus),
      catalogue: c.resolve(TOKENS.catalogue),
      keys: c.resolve(TOKENS.keys),
      keyrings: c.resolve(TOKENS.keyrings),
      sessions: c.resolve(TOKENS.sessions),
      nonces: c.resolve(TOKENS.nonces),
      walletSettings: c.resolve(TOKENS.walletSettings),
      keyUses: c.resolve(TOKENS.keyUses),
      ledger: c.resolve(TOKENS.ledger),
      jobViews: c.resolve(TOKENS.jobViews),
      bursts: c.resolve(TOKENS.bursts),
      signIn: c.resolve(TOKENS.signIn),
      reader: c.resolve(TOKENS.walletReader),
      networkReader: c.resolve(TOKENS.networkReader),
      relay: c.resolve(TOKENS.depositRelay),
      faucet: c.resolve(TOKENS.faucet),
      metrics: starting.metrics,
      clock: c.resolve(TOKENS.clock),
      log,
    },
    {
      names: serviceNames(config.SERVICE_PREFIX),
      origin: config.WEB_URL,
      docsUrl: config.DOCS_URL,
      trustProxy: config.WEB_TRUST_PROXY,
      burst: { perSecond: config.WEB_BURST_PER_SECOND, burst: config.WEB_BURST },
      sessionMs: config.WEB_SESSION_HOURS * 60 * 60 * 1_000,
      jobWindowMs: config.JOB_WINDOW_SECONDS * 1_000,
      leaveMs: config.LEAVE_SECONDS * 1_000,
      drainMs: config.DRAIN_SECONDS * 1_000,
      config: appConfig(config, contracts),
      files,
    },
  )
  const address = await listening('WEB_HOST, WEB_PORT', () =>
    web.listen({ host: config.WEB_HOST, port: config.WEB_PORT }),
  )
  log.info({ address, url: config.WEB_URL }, 'web: ready')
  return {
    missing: () => web.missing(),
    leave: () => web.leave(),
    stop: async () => {
      await web.stop()
      await close()
    },
  }
}
