import type { Address } from '../domain/ids.ts'
import type { Hex } from './escrow.ts'
import type { SeenVouchers, SetAside } from './set-asides.ts'

/** The escrow's withdrawal vouchers. */
export interface Vouchers {
  /** False: this host has no key for them. */
  readonly offered: boolean
  /** Who can never be paid, by the contract's rules or without loss: the escrow, the token, nobody. */
  readonly neverPaid: ReadonlySet<Address>
  readonly escrow: Address
  readonly chainId: number
  /** @throws {ChainUnavailable} */
  read(wallet: Address): Promise<SeenVouchers>
  /** The signature that `withdraw` and `withdrawFor` take, 65 bytes. The same voucher: the same. */
  sign(voucher: Omit<SetAside, 'requestId'>): Hex
}
