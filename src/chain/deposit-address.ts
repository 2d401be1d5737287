import { type Address, toAddress } from '../domain/ids.ts'
import { keccak256 } from '../domain/keccak.ts'
import { DEPOSIT_FORWARDER_CODE_HASH } from './abi.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')
const CREATE2 = Buffer.from([0xff])
const CODE_HASH = bytes(DEPOSIT_FORWARDER_CODE_HASH)
const SALT_PADDING = Buffer.alloc(12)

/** Where plain transfers for `wallet` go: what `JobEscrow.depositAddress` answers (EIP-1014). */
export function depositAddressOf(jobEscrow: Address, wallet: Address): Address {
  const salt = Buffer.concat([SALT_PADDING, bytes(wallet)])
  const hash = keccak256(Buffer.concat([CREATE2, bytes(jobEscrow), salt, CODE_HASH]))
  return toAddress(`0x${Buffer.from(hash.slice(12)).toString('hex')}`)
}
