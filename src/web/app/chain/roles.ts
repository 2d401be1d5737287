import { keccak256, toBytes } from 'viem'

const NAMES = 'LOCKER SETTLER ARBITER WITHDRAWAL_SIGNER PAUSER SLASHER LISTER'.split(' ')
const ROLES = new Map<string, string>(
  NAMES.map((name) => [keccak256(toBytes(`${name}_ROLE`)), `${name}_ROLE`]),
)

/** Undefined: not a role of these contracts. */
export const roleName = (id: string): string | undefined =>
  /^0x0+$/.test(id) ? 'DEFAULT_ADMIN_ROLE' : ROLES.get(id)
