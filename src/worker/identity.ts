import type { Challenge } from '../../proto/gen/svc/worker/v1/worker.ts'
import { addressFromBytes, signatureToBytes, toBytes } from '../domain/bytes.ts'
import type { Address } from '../domain/ids.ts'
import {
  type Completion,
  challengeDigest,
  completionDigest,
  domainSeparator,
  privateKeyAddress,
  registrationDigest,
  sign,
} from '../domain/proof.ts'

/** The worker's key, and what it signs. The key itself never leaves this object. */
export class Identity {
  readonly address: Address
  readonly payee: Address
  readonly #privateKey: Uint8Array

  constructor(privateKey: `0x${string}`, payee: Address | undefined) {
    this.#privateKey = toBytes(privateKey)
    this.address = privateKeyAddress(this.#privateKey)
    this.payee = payee ?? this.address
  }

  /**
   * Answers a pool's challenge.
   * @throws where the challenge is malformed
   */
  answer({ chainId, jobEscrow, workerStaking, nonce }: Challenge): SignedAnswer {
    const escrow = contractOf(jobEscrow, 'job_escrow')
    const staking = contractOf(workerStaking, 'worker_staking')
    const separator = domainSeparator({ name: 'WorkerStaking', chainId, contract: staking })
    return {
      challengeSignature: this.sign(challengeDigest(separator, nonce)),
      registrationSignature: this.sign(registrationDigest(separator, this.address, this.payee)),
      escrowSeparator: domainSeparator({ name: 'JobEscrow', chainId, contract: escrow }),
    }
  }

  /** @param escrowSeparator of the session's challenge */
  prove(completion: Completion, escrowSeparator: Uint8Array): Buffer {
    return this.sign(completionDigest(escrowSeparator, completion))
  }

  private sign(digest: Uint8Array): Buffer {
    return signatureToBytes(sign(digest, this.#privateKey))
  }
}

export interface SignedAnswer {
  readonly challengeSignature: Buffer
  readonly registrationSignature: Buffer
  /** Where this session's completions are good. */
  readonly escrowSeparator: Uint8Array
}

function contractOf(bytes: Uint8Array, field: string): Address {
  const address = addressFromBytes(bytes)
  if (!address) throw new Error(`the challenge's ${field} is not an address of 20 bytes`)
  return address
}
