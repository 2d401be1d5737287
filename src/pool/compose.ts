import 'reflect-metadata'
import { container, type DependencyContainer, type InjectionToken } from 'tsyringe'
import { connectNats } from '../bus/connect.ts'
import { connectChain } from '../chain/connect.ts'
import { type Contracts, readContracts } from '../chain/contracts-file.ts'
import { ConfigError } from '../config/read.ts'
import type { PoolConfig } from '../config/schema.ts'
import { domainSeparator } from '../domain/proof.ts'
import { TOKENS } from '../ports/tokens.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { connectRedis } from '../store/connect.ts'
import type { Log } from '../telemetry/log.ts'
import { meetWorker } from './connect.ts'
import { Enrolment } from './enrolment.ts'
import { Pool } from './pool.ts'
import { listen, type ServerOptions } from './server.ts'

const CONTRACTS: InjectionToken<Contracts> = Symbol('contracts')

/** Connects a pool to the world and opens its door to workers. */
export async function composePool(
  config: PoolConfig,
  log: Log,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const tls = tlsFiles(config)
  const poolId = `pool-${Buffer.from(systemClock.randomBytes(8)).toString('hex')}`
  const c = container.createChildContainer()
  const close = await connectPool(c, config, poolId, log)
  const pool = makePool(c, poolId, config.POOL_WORKERS_MAX)
  const server = await listen({
    host: config.POOL_HOST,
    port: config.POOL_PORT,
    tls,
    onWorker: door(c, pool),
  })
  log.info({ poolId, host: config.POOL_HOST, port: server.port, tls: Boolean(tls) }, 'pool: ready')
  return {
    port: server.port,
    stop: async () => {
      await pool.stop()
      await server.close()
      await close()
    },
  }
}

/** Registers the real NATS, Redis, chain and clock with the container. */
async function connectPool(
  c: DependencyContainer,
  config: PoolConfig,
  poolId: string,
  log: Log,
): Promise<() => Promise<void>> {
  const contracts = await readContracts(config.CONTRACTS_FILE)
  const [nats, store, chain] = await Promise.all([
    connectNats({ servers: config.NATS_URL, name: poolId, log }),
    connectRedis({ url: config.REDIS_URL, log }),
    connectChain({ rpcUrl: config.RPC_URL, contracts, log }),
  ])
  c.register(TOKENS.log, { useValue: log })
  c.register(TOKENS.clock, { useValue: systemClock })
  c.register(TOKENS.bus, { useValue: nats.bus })
  c.register(TOKENS.outputs, { useValue: store.outputs })
  c.register(TOKENS.escrowReader, { useValue: chain.reader })
  c.register(CONTRACTS, { useValue: contracts })
  return async () => {
    await Promise.all([chain.close(), store.close()])
    await nats.close()
  }
}

function makePool(c: DependencyContainer, poolId: string, workersMax: number): Pool {
  const { chainId, jobEscrow } = c.resolve(CONTRACTS)
  return new Pool({
    poolId,
    workersMax,
    bus: c.resolve(TOKENS.bus),
    outputs: c.resolve(TOKENS.outputs),
    clock: c.resolve(TOKENS.clock),
    log: c.resolve(TOKENS.log),
    escrowSeparator: domainSeparator({ name: 'JobEscrow', chainId, contract: jobEscrow }),
  })
}

function door(c: DependencyContainer, pool: Pool): ServerOptions['onWorker'] {
  const { chainId, jobEscrow, workerStaking } = c.resolve(CONTRACTS)
  const clock = c.resolve(TOKENS.clock)
  const log = c.resolve(TOKENS.log)
  const enrolment = new Enrolment({
    bus: c.resolve(TOKENS.bus),
    chain: c.resolve(TOKENS.escrowReader),
    clock,
    log,
  })
  const deps = { pool, enrolment, clock, log, chainId, jobEscrow, workerStaking }
  return (call) => void meetWorker(call, deps)
}

function tlsFiles({ POOL_TLS_CERT, POOL_TLS_KEY }: PoolConfig): ServerOptions['tls'] {
  if (POOL_TLS_CERT && POOL_TLS_KEY) return { certFile: POOL_TLS_CERT, keyFile: POOL_TLS_KEY }
  if (!POOL_TLS_CERT && !POOL_TLS_KEY) return undefined
  throw new ConfigError('set both POOL_TLS_CERT and POOL_TLS_KEY, or neither')
}
