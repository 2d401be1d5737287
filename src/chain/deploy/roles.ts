import { type Hex, type ParseEventLogsReturnType, parseAbi } from 'viem'
import { type Address, toAddress } from '../../domain/ids.ts'
import type { Reader } from './deployer.ts'
import { ADMIN_ROLE, roleId } from './role-ids.ts'

const accessAbi = parseAbi([
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
])

/** All roles that any of the contracts knows. */
const ROLE_NAMES = [
  ...['LOCKER', 'SETTLER', 'ARBITER', 'WITHDRAWAL_SIGNER', 'PAUSER'],
  ...['SLASHER', 'LISTER', 'PROPOSER', 'CANCELLER', 'EXECUTOR'],
] as const
export type RoleName = (typeof ROLE_NAMES)[number] | 'ADMIN'

const NAMES: ReadonlyMap<Hex, RoleName> = new Map<Hex, RoleName>([
  [ADMIN_ROLE, 'ADMIN'],
  ...ROLE_NAMES.map((name) => [roleId(name), name] as const),
])

/** Who holds a role; a role that is not known by name goes by its hash. */
export type Holders = ReadonlyMap<string, readonly Address[]>

/**
 * All holders of all roles of one contract, by what it has said since `fromBlock`. So whoever was
 * given a role by anybody, at any time, is in it.
 */
export async function readHolders(
  reader: Reader,
  address: Address,
  fromBlock: bigint,
): Promise<Holders> {
  const held = new Map<string, Set<Address>>()
  const latest = await reader.getBlockNumber()
  for (const log of await logsOf(reader, address, fromBlock, latest)) {
    const { eventName, args } = log
    const role = NAMES.get(args.role) ?? args.role
    const holders = held.get(role) ?? new Set()
    if (eventName === 'RoleGranted') holders.add(toAddress(args.account))
    else holders.delete(toAddress(args.account))
    held.set(role, holders)
  }
  return new Map([...held].map(([role, holders]) => [role, [...holders].sort()]))
}

/** Halves the span where a node refuses to answer for so long a one. */
async function logsOf(
  reader: Reader,
  address: Address,
  from: bigint,
  to: bigint,
): Promise<readonly RoleLog[]> {
  try {
    const span = { fromBlock: from, toBlock: to, strict: true } as const
    return await reader.getLogs({ address, events: accessAbi, ...span })
  } catch (error) {
    if (from >= to) throw error
    const middle = (from + to) / 2n
    return [
      ...(await logsOf(reader, address, from, middle)),
      ...(await logsOf(reader, address, middle + 1n, to)),
    ]
  }
}

type RoleLog = Pick<
  ParseEventLogsReturnType<typeof accessAbi, undefined, true>[number],
  'eventName' | 'args'
>
