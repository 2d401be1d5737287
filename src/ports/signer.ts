import type { Address } from '../domain/ids.ts'
import { ChainUnavailable, type Hex, type SignedTransaction } from './escrow.ts'

/** Signs for one address, wherever its key is kept. */
export interface TransactionSigner {
  readonly address: Address
  /**
   * The signature is over exactly what was given: nothing else is ever returned.
   * @throws {SignerUnavailable} no answer, or one that cannot be used; asking again is harmless
   */
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>
}

/** EIP-1559, without value and access list. Fees in wei per unit of gas. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Waited for, as a chain that is down is. */
export class SignerUnavailable extends ChainUnavailable {}
