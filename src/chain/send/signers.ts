import { type Address, toAddress } from '../../domain/ids.ts'
import { OperatorError } from '../../domain/operator-error.ts'
import type { Hex } from '../../ports/escrow.ts'
import type { TransactionSigner } from '../../ports/signer.ts'
import { makeRemoteSigner } from './remote-signer.ts'
import { makeLocalSigner } from './transaction.ts'

/** A key, or where a program listens that keeps the key of an address. */
export interface SignerAt {
  readonly privateKey?: string | undefined
  readonly url?: string | undefined
  readonly address?: string | undefined
}

export interface OpenSigner {
  readonly signer: TransactionSigner
  close(): Promise<void>
}

/** @throws where it is neither: the configuration was not checked */
export function openSigner({ privateKey, url, address }: SignerAt): OpenSigner {
  if (privateKey) return { signer: makeLocalSigner(privateKey as Hex), close: async () => {} }
  if (!url || !address) throw new Error('a signer is a private key, or a URL and an address')
  const signer = makeRemoteSigner(url, toAddress(address))
  return { signer, close: signer.close }
}

/**
 * One order of nonces an address. Only here is it seen of a key and of an address whose key a program keeps.
 * @param senders by the beginning of their settings
 * @throws {OperatorError} two of them send with one address
 */
export function requireOwnAddresses(senders: Readonly<Record<string, string | undefined>>): void {
  const seen = new Map<Address, string>()
  for (const [name, given] of Object.entries(senders)) {
    if (given === undefined) continue
    const address = toAddress(given)
    const before = seen.get(address)
    if (before !== undefined) {
      throw new OperatorError(
        `${name} and ${before} send with one address, ${address}: give each a key of its own`,
      )
    }
    seen.set(address, name)
  }
}
