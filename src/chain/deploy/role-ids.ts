import { type Hex, keccak256, toBytes } from 'viem'

/** Grants and revokes all other roles of its contract. */
export const ADMIN_ROLE: Hex = `0x${'00'.repeat(32)}`

/** As the contracts name their roles: `LISTER_ROLE`. */
export const roleId = (name: string): Hex => keccak256(toBytes(`${name}_ROLE`))
