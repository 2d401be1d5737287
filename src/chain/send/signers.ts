import { toAddress } from '../../domain/ids.ts'
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
