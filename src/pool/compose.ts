import 'reflect-metadata'
import { container, type DependencyContainer, type InjectionToken } from 'tsyringe'
import { missingOf, needsNats } from '../api/http/readiness.ts'
import { openCatalogue } from '../bus/buckets/catalogue.ts'
import { connectNats } from '../bus/connect.ts'
import { connectChain } from '../chain/connect.ts'
import { type Contracts, readContracts } from '../chain/contracts-file.ts'
import { listening } from '../config/listening.ts'
import { monitored, type StartedRole, type Starting } from '../config/monitored.ts'
import type { Role } from '../config/process.ts'
import { ConfigError } from '../config/read.ts'
import type { PoolConfig } from '../config/schema.ts'
import { natsOf } from '../config/shared-settings.ts'
import { tracesOf } from '../config/tracing-settings.ts'
import type { Address } from '../domain/ids.ts'
import { isLoopback } from '../domain/loopback.ts'
import { domainSeparator } from '../domain/proof.ts'
import type { Registry } from '../ports/registry.ts'
import { TOKENS } from '../ports/tokens.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { connectRedis } from '../store/connect.ts'
import type { Log } from '../telemetry/log.ts'
import { makeMetrics } from '../telemetry/metrics.ts'
import { openTraces } from '../telemetry/open-traces.ts'
import type { Traces } from '../telemetry/traces.ts'
import { meetWorker } from './connect.ts'
import { Pool } from './pool.ts'
import { noteSlowSignatures } from './proof/native-code.ts'
import { RenewedCertificate, type TlsFiles } from './session/certificate.ts'
import { Departures } from './session/departures.ts'
import { Enrolment } from './session/enrolment.ts'
import { Newcomers } from './session/newcomers.ts'
import { listen, type ServerOptions } from './session/server.ts'

/** Bucket WORKERS. */
const MARKS: InjectionToken<Registry> = Symbol('marks')
/** Bucket ADMITTED; undefined: no canary jobs. */
const ADMITTED: InjectionToken<Registry | undefined> = Symbol('admitted')
const CHAIN = 'the settlement chain'
const CONTRACTS: InjectionToken<Contracts> = Symbol('contracts')

/** Connects a pool to the world and opens its door to workers, before it the port for operators. */
export async function composePool(config: PoolConfig, log: Log): Promise<Role> {
  const tls = tlsFiles(config)
  noteSlowSignatures(log)
  const metrics = makeMetrics({ process: config.MONITOR_PORT > 0 })
  return monitored({ config, metrics }, (starting) => startPool(config, log, tls, starting))
}

async function startPool(
  config: PoolConfig,
  log: Log,
  tls: TlsFiles | undefined,
  starting: Starting,
): Promise<StartedRole> {
  const certificate = tls && (await openCertificate(tls, log))
  const poolId = `pool-${Buffer.from(systemClock.randomBytes(8)).toString('hex')}`
  const c = container.createChildContainer()
  c.register(TOKENS.metrics, { useValue: starting.metrics })
  const { missing, close } = await connectPool(c, config, poolId, { log, starting })
  const traces = await openTraces({ ...tracesOf(config), role: 'pool', instance: poolId, log })
  const pool = makePool(c, poolId, config, traces)
  const { onWorker, close: closeDoor } = door(c, pool)
  const { POOL_HOST: host, POOL_PORT: port } = config
  const server = await listening('POOL_HOST, POOL_PORT', () =>
    listen({ host, port, tls: certificate, onWorker }),
  )
  log.info({ poolId, host, port: server.port, tls: Boolean(tls) }, 'pool: ready')
  return {
    missing,
    stop: async () => {
      await pool.stop()
      await server.close()
      closeDoor()
      await Promise.all([close(), traces?.close()])
    },
  }
}

/** Registers the real NATS, Redis, chain and clock with the container. */
async function connectPool(
  c: DependencyContainer,
  config: PoolConfig,
  poolId: string,
  { log, starting }: { readonly log: Log; readonly starting: Starting },
) {
  const contracts = await readContracts(config.CONTRACTS_FILE)
  const [nats, store, chain] = await Promise.all([
    starting.until('NATS', connectNats({ ...natsOf(config), name: poolId, log })),
    starting.until('Redis', connectRedis({ url: config.REDIS_URL, log })),
    starting.until(CHAIN, connectChain({ rpcUrl: config.RPC_URL, contracts, log })),
  ])
  const strikes = await nats.registry('STRIKES')
  const catalogue = await openCatalogue({ nats, contracts, clock: systemClock, log })
  c.register(TOKENS.log, { useValue: log })
  c.register(TOKENS.clock, { useValue: systemClock })
  c.register(TOKENS.bus, { useValue: nats.bus })
  c.register(TOKENS.catalogue, { useValue: catalogue })
  c.register(TOKENS.outputs, { useValue: store.outputs })
  c.register(TOKENS.strikes, { useValue: strikes })
  c.register(MARKS, { useValue: await nats.registry('WORKERS') })
  const admitted = config.POOL_CANARY ? await nats.registry('ADMITTED') : undefined
  c.register(ADMITTED, { useFactory: () => admitted })
  c.register(TOKENS.facts, { useValue: await nats.facts() })
  c.register(TOKENS.escrowReader, { useValue: chain.reader })
  c.register(CONTRACTS, { useValue: contracts })
  const needs = [
    needsNats(nats.bus),
    { what: 'Redis', isThere: () => store.ping() },
    { what: 'the catalogue of models', isThere: () => catalogue.known },
  ]
  return {
    missing: missingOf(needs, { clock: systemClock, log }),
    close: async () => {
      catalogue.stop()
      await Promise.all([chain.close(), store.close()])
      await nats.close()
    },
  }
}

function makePool(
  c: DependencyContainer,
  poolId: string,
  config: PoolConfig,
  traces: Traces | undefined,
): Pool {
  const { chainId, jobEscrow } = c.resolve(CONTRACTS)
  return new Pool({
    poolId,
    workersMax: config.POOL_WORKERS_MAX,
    leaveMs: config.LEAVE_SECONDS * 1_000,
    drainMs: config.DRAIN_SECONDS * 1_000,
    bus: c.resolve(TOKENS.bus),
    catalogue: c.resolve(TOKENS.catalogue),
    outputs: c.resolve(TOKENS.outputs),
    strikes: c.resolve(TOKENS.strikes),
    metrics: c.resolve(TOKENS.metrics),
    traces,
    admitted: c.resolve(ADMITTED),
    clock: c.resolve(TOKENS.clock),
    log: c.resolve(TOKENS.log),
    escrowSeparator: domainSeparator({ name: 'JobEscrow', chainId, contract: jobEscrow }),
  })
}

/** Who meets workers. */
function door(
  c: DependencyContainer,
  pool: Pool,
): { onWorker: ServerOptions['onWorker']; close(): void } {
  const { chainId, jobEscrow, workerStaking } = c.resolve(CONTRACTS)
  const clock = c.resolve(TOKENS.clock)
  const log = c.resolve(TOKENS.log)
  const chain = c.resolve(TOKENS.escrowReader)
  const enrolment = new Enrolment({ bus: c.resolve(TOKENS.bus), chain, clock, log })
  const newcomers = new Newcomers({
    facts: c.resolve(TOKENS.facts),
    marks: c.resolve(MARKS),
    network: `${chainId}.${workerStaking}`,
    clock,
    log,
  })
  const forget = (worker: Address) => enrolment.forget(worker)
  const departures = new Departures({ chain, forget, clock, log })
  departures.start()
  const deps = {
    ...{ pool, enrolment, newcomers, departures, clock, log, chainId, jobEscrow, workerStaking },
    catalogue: c.resolve(TOKENS.catalogue),
  }
  return {
    onWorker: (call) => void meetWorker(call, deps),
    close: () => {
      newcomers.stop()
      departures.stop()
    },
  }
}

async function openCertificate(tls: TlsFiles, log: Log): Promise<RenewedCertificate> {
  try {
    return await RenewedCertificate.open(tls, log)
  } catch (error) {
    throw new ConfigError(
      `POOL_TLS_CERT and POOL_TLS_KEY are no certificate with its key: ${(error as Error).message}`,
    )
  }
}

function tlsFiles(config: PoolConfig): TlsFiles | undefined {
  const { POOL_TLS_CERT, POOL_TLS_KEY, POOL_HOST, POOL_INSECURE } = config
  if (POOL_TLS_CERT && POOL_TLS_KEY) return { certFile: POOL_TLS_CERT, keyFile: POOL_TLS_KEY }
  if (!POOL_TLS_CERT && !POOL_TLS_KEY) {
    if (POOL_INSECURE || isLoopback(POOL_HOST)) return undefined
    throw new ConfigError(
      `POOL_HOST ${POOL_HOST} is open to other machines, and prompts and answers would cross the ` +
        'network in the clear: set POOL_TLS_CERT and POOL_TLS_KEY, or POOL_INSECURE=true where a ' +
        'proxy before the pool adds TLS',
    )
  }
  throw new ConfigError('set both POOL_TLS_CERT and POOL_TLS_KEY, or neither')
}
