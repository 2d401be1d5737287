import { encodeFunctionData } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { type Hex, RoleMissing } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import { jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import { roleId } from '../deploy/role-ids.ts'
import type { Rpc } from '../rpc/json-rpc.ts'

/** Which key of a host acts in which role of the escrow. */
export type RoleKeys = Readonly<
  Partial<Record<'LOCKER' | 'SETTLER' | 'WITHDRAWAL_SIGNER', Address>>
>

interface Asked {
  readonly rpc: Rpc
  readonly contracts: Contracts
}
interface Options extends Asked {
  readonly log: Log
}

const GRANT = 'grantRole(bytes32,address)'

/**
 * Warns of each key without its role, once: what it signs is refused, and an operator would learn that
 * from reverts alone. A host starts all the same, since a role may be granted later. A node that does not
 * answer now is not asked again.
 */
export async function warnOfMissingRoles(options: Options, keys: RoleKeys): Promise<void> {
  await Promise.all(
    Object.entries(keys).map(async ([role, address]) => {
      if (await mayHave(options, role, address)) return
      const { jobEscrow } = options.contracts
      options.log.warn(
        { escrowRole: role, address, escrow: jobEscrow },
        `chain: ${whatToGrant(options, role, address)}`,
      )
    }),
  )
}

/** @throws {RoleMissing} with what grants it @throws {ChainUnavailable} */
export async function requireRole(asked: Asked, role: string, address: Address): Promise<void> {
  if (await hasRole(asked, role, address)) return
  throw new RoleMissing(whatToGrant(asked, role, address))
}

const whatToGrant = ({ contracts: { jobEscrow } }: Asked, role: string, address: Address) =>
  `${address} is not ${role} of the escrow, so the chain refuses what it signs. The escrow's ` +
  `admin grants it: cast send ${jobEscrow} '${GRANT}' ${roleId(role)} ${address}`

/** True also where the node does not tell. */
async function mayHave(options: Options, role: string, address: Address): Promise<boolean> {
  try {
    return await hasRole(options, role, address)
  } catch (error) {
    const about = { err: error, address }
    options.log.info(about, 'chain: the node does not tell whether a key has its role')
    return true
  }
}

async function hasRole({ rpc, contracts }: Asked, role: string, address: Address) {
  const args = [roleId(role), address] as const
  const data = encodeFunctionData({ abi: jobEscrowAbi, functionName: 'hasRole', args })
  const call = { to: contracts.jobEscrow, data }
  return Number(await rpc.call<Hex>('eth_call', [call, 'latest'])) > 0
}
