import type { Address } from '../../../src/domain/ids.ts'
import { domainSeparator } from '../../../src/domain/proof.ts'
import { meetWorker } from '../../../src/pool/connect.ts'
import { Pool } from '../../../src/pool/pool.ts'
import { Departures } from '../../../src/pool/session/departures.ts'
import { Enrolment } from '../../../src/pool/session/enrolment.ts'
import { Newcomers } from '../../../src/pool/session/newcomers.ts'
import type { WorkerCall } from '../../../src/pool/session/worker-call.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import type { Catalogue } from '../../../src/ports/catalogue.ts'
import type { EscrowReader } from '../../../src/ports/escrow.ts'
import type { Facts } from '../../../src/ports/facts.ts'
import type { Outputs } from '../../../src/ports/outputs.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import type { Node } from '../world.ts'

/** The contracts of a life, and the chain that they are on. */
export interface Network {
  readonly chainId: number
  readonly jobEscrow: Address
  readonly workerStaking: Address
}

/** What a pool is given, bound to its node. */
export interface PoolPorts {
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly outputs: Outputs
  /** Bucket STRIKES. */
  readonly strikes: Registry
  /** Bucket ADMITTED; undefined: no canary jobs. */
  readonly admitted: Registry | undefined
  /** Bucket WORKERS. */
  readonly marks: Registry
  readonly facts: Facts
  readonly reader: Pick<EscrowReader, 'workerId' | 'registrationError' | 'head' | 'deactivated'>
}

export interface PoolNode {
  readonly node: Node
  readonly poolId: string
  /** A worker has dialled. */
  meet(call: WorkerCall): void
  /** As on SIGTERM. */
  stop(): Promise<void>
}

const WORKERS_MAX = 100
const DRAIN_MS = 15_000

/** The real pool with the real door, as `src/pool/compose.ts` puts it together. */
export function startPool(node: Node, ports: PoolPorts, network: Network): PoolNode {
  const { clock, log } = node
  const { chainId, jobEscrow, workerStaking } = network
  const poolId = `pool-${Buffer.from(clock.randomBytes(8)).toString('hex')}`
  const pool = new Pool({
    ...ports,
    poolId,
    metrics: noMetrics,
    clock,
    log,
    workersMax: WORKERS_MAX,
    leaveMs: 0,
    drainMs: DRAIN_MS,
    escrowSeparator: domainSeparator({ name: 'JobEscrow', chainId, contract: jobEscrow }),
  })
  const chain = ports.reader
  const enrolment = new Enrolment({ bus: ports.bus, chain, clock, log })
  const newcomers = new Newcomers({
    ...ports,
    network: `${chainId}.${workerStaking}`,
    clock,
    log,
  })
  const forget = (worker: Address) => enrolment.forget(worker)
  const departures = new Departures({ chain, forget, clock, log })
  departures.start()
  const deps = { ...network, pool, enrolment, newcomers, departures, clock, log }
  return {
    node,
    poolId,
    meet: (call) => void meetWorker(call, { ...deps, catalogue: ports.catalogue }),
    stop: async () => {
      await pool.stop()
      newcomers.stop()
      departures.stop()
    },
  }
}
