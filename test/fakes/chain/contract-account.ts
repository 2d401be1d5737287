import type { Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import type { Hex } from '../../../src/ports/escrow.ts'

/**
 * Puts the smallest account that is a contract (ERC-1271) at `address`: it takes what `owner` signed.
 * By hand, since it has one function: `isValidSignature(bytes32, bytes)`, whatever it is called by.
 */
export async function makeContractAccount(rpc: Rpc, address: Hex, owner: Hex): Promise<void> {
  const code = [
    // ecrecover's four words: the digest, v (the 65th byte of the signature), r, s.
    ...['6004', '35', '6000', '52'],
    ...['60a4', '35', '60f8', '1c', '6020', '52'],
    ...['6064', '35', '6040', '52'],
    ...['6084', '35', '6060', '52'],
    ...['6020', '6000', '6080', '6000', '6001', '5a', 'fa', '50'],
    // The magic value where it recovered the owner, else zero.
    ...[`73${owner.slice(2)}`, '6000', '51', '14'],
    ...['631626ba7e', '60e0', '1b', '02'],
    ...['6000', '52', '6020', '6000', 'f3'],
  ]
  await rpc.call<null>('anvil_setCode', [address, `0x${code.join('')}`])
}
