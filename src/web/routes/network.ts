import type { FastifyInstance } from 'fastify'
import type { Pools } from '../../api/models/pools.ts'
import { type Clock, inTime } from '../../ports/clock.ts'
import { ChainUnavailable } from '../../ports/escrow.ts'
import type { NetworkReader } from '../../ports/network-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import type { NetworkState, Solvency } from '../api.ts'
import { publicSolvency } from '../network/public-solvency.ts'

interface Options {
  readonly pools: Pools
  readonly networkReader: Pick<NetworkReader, 'solvency'>
  readonly clock: Clock
  readonly log: Log
}

/** A page that has waited for so long is told the rest. */
const PATIENCE_MS = 5_000

/**
 * For everybody. Without the chain, what the pools say is told all the same; also while the logs of all purchases
 * are read for the first time, which may take minutes and goes on.
 */
export function network(server: FastifyInstance, options: Options): void {
  const seldom = new Seldom(options.clock, options.log)
  server.get('/api/network', async (): Promise<NetworkState> => {
    const solvency = await readSolvency({ ...options, seldom })
    const { pools, workers, regions, jobsLastMinute } = options.pools.census()
    return {
      solvency,
      jobs_per_minute: jobsLastMinute,
      workers,
      workers_by_region: regions,
      pools,
    }
  })
}

async function readSolvency({
  networkReader,
  clock,
  seldom,
}: Options & { readonly seldom: Seldom }): Promise<Solvency | null> {
  try {
    const told = await inTime(clock, PATIENCE_MS, networkReader.solvency())
    return told === undefined ? null : publicSolvency(told)
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    seldom.warn({ err: error }, 'network: the books of the escrow are not known')
    return null
  }
}
