import type { FastifyInstance } from 'fastify'
import type { Pools } from '../../api/models/pools.ts'
import { ChainUnavailable } from '../../ports/escrow.ts'
import type { NetworkReader } from '../../ports/network-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { NetworkState, Solvency } from '../api.ts'
import { publicSolvency } from '../network/public-solvency.ts'

interface Options {
  readonly pools: Pools
  readonly networkReader: Pick<NetworkReader, 'solvency'>
  readonly log: Log
}

/** For everybody. Without the chain, what the pools say is told all the same. */
export function network(server: FastifyInstance, options: Options): void {
  server.get('/api/network', async (): Promise<NetworkState> => {
    const solvency = await readSolvency(options)
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

async function readSolvency({ networkReader, log }: Options): Promise<Solvency | null> {
  try {
    return publicSolvency(await networkReader.solvency())
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    log.warn({ err: error }, 'network: the books of the escrow are not known')
    return null
  }
}
