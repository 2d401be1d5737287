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
 * @param registry bucket CURSORS, and MODELS for the roles that may not read that
 * @throws {OperatorError} this NATS is about another escrow
 */
export async function claimDeployment(registry: Registry, mine: Deployment): Promise<void> {
  const { chainId, jobEscrow } = mine
  if ((await registry.put(KEY, { chainId, jobEscrow }, 0)) !== 'conflict') return
  await requireDeployment(registry, mine)
}

/**
 * The same of a role that writes no such thing. Where no actor host has been yet, there is nothing to compare with.
 * @param registry bucket MODELS
 * @throws {OperatorError} this NATS is about another escrow
 */
export async function requireDeployment(
  registry: Pick<Registry, 'get'>,
  { chainId, jobEscrow }: Deployment,
): Promise<void> {
  const found = (await registry.get(KEY))?.value as Deployment | undefined // only actor hosts write here
  if (!found || (found.chainId === chainId && found.jobEscrow === jobEscrow)) return
  throw new OperatorError(
    `NATS_URL leads to a network whose escrow is ${found.jobEscrow} on chain ${found.chainId}, but CONTRACTS_FILE ` +
      `names ${jobEscrow} on chain ${chainId}: set CONTRACTS_FILE to the address file of that network, or ` +
      'NATS_URL and REDIS_URL to servers of their own for this one',
  )
}
