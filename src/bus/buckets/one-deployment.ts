import type { Address } from '../../domain/ids.ts'
import { OperatorError } from '../../domain/operator-error.ts'
import type { Registry } from '../../ports/registry.ts'

interface Deployment {
  readonly chainId: number
  readonly jobEscrow: Address
}

const KEY = 'deployment'

/**
 * All that is in one NATS is about one escrow: jobs, the transactions of lanes, how far its chain was read. The
 * first actor host writes down which. One with the address file of another would take its share of the jobs and
 * lanes, and step over the blocks of the right one.
 * @param registry bucket CURSORS
 * @throws {OperatorError} this NATS is about another escrow
 */
export async function assertOneDeployment(
  registry: Registry,
  { chainId, jobEscrow }: Deployment,
): Promise<void> {
  const mine: Deployment = { chainId, jobEscrow }
  if ((await registry.put(KEY, mine, 0)) !== 'conflict') return
  const entry = await registry.get(KEY)
  const found = entry?.value as Deployment // only actor hosts write here
  if (found.chainId === chainId && found.jobEscrow === jobEscrow) return
  throw new OperatorError(
    `NATS_URL leads to a network whose escrow is ${found.jobEscrow} on chain ${found.chainId}, but CONTRACTS_FILE ` +
      `names ${jobEscrow} on chain ${chainId}: set CONTRACTS_FILE to the address file of that network, or ` +
      'NATS_URL and REDIS_URL to servers of their own for this one',
  )
}
