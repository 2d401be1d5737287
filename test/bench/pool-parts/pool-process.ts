// One pool with real NATS, Redis and gRPC, and a chain on which everybody is registered. Prints its port.

import { connectNats } from '../../../src/bus/connect.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { meetWorker } from '../../../src/pool/connect.ts'
import { Pool } from '../../../src/pool/pool.ts'
import { Departures } from '../../../src/pool/session/departures.ts'
import { Enrolment } from '../../../src/pool/session/enrolment.ts'
import { Newcomers } from '../../../src/pool/session/newcomers.ts'
import { listen } from '../../../src/pool/session/server.ts'
import { systemClock as clock } from '../../../src/runtime/system-clock.ts'
import { connectRedis } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ToldFacts } from '../../fakes/chain/told-facts.ts'
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import { ESCROW_SEPARATOR } from '../../fakes/pool/stage.ts'
import { WorkerChain } from '../../fakes/pool/worker-chain.ts'

const log = makeLog('pool', 'error')
const { NATS_URL = '', REDIS_URL = '', POOL_ID = 'p' } = process.env
const { bus } = await connectNats({ servers: NATS_URL, name: POOL_ID, log })
const { outputs } = await connectRedis({ url: REDIS_URL, log })
const chain = new WorkerChain()
const catalogue = new MemoryCatalogue()
const around = { clock, log }
const pool = new Pool({
  ...{ poolId: POOL_ID, bus, catalogue, outputs, strikes: new MemoryRegistry(), ...around },
  metrics: noMetrics,
  // Every worker here is to be trusted: what is measured are paid jobs.
  ...{ admitted: undefined, escrowSeparator: ESCROW_SEPARATOR, workersMax: 5_000 },
  ...{ leaveMs: 0, drainMs: 15_000 },
})
const enrolment = new Enrolment({ bus, chain, ...around })
const marks = new MemoryRegistry()
const newcomers = new Newcomers({ facts: new ToldFacts(), marks, network: 'bench', ...around })
const departures = new Departures({ chain, forget: (who) => enrolment.forget(who), ...around })
departures.start()
const contract = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const contracts = { chainId: 31_337, jobEscrow: contract('3'), workerStaking: contract('5') }
const deps = { pool, catalogue, enrolment, newcomers, departures, ...around, ...contracts }
const server = await listen({
  ...{ host: '127.0.0.1', port: 0, tls: undefined },
  onWorker: (call) => void meetWorker(call, deps),
})
// Whoever started it has gone.
process.stdin.on('end', () => process.exit()).resume()
console.log(server.port)
