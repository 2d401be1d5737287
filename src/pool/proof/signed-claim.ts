import type { Completion as CompletionMessage } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { hex32FromBytes, signatureFromBytes } from '../../domain/bytes.ts'
import type { Address, JobId } from '../../domain/ids.ts'
import { completionDigest, isReadableOnChain, recover } from '../../domain/proof.ts'
import type { SignedCompletion } from '../../messages/strikes.ts'

/**
 * What a worker sent as its proof, as the chain reads it: a few hundred bytes, whatever it sent. Who has
 * signed it was not looked at. `unreadable`: the contract could make nothing of it.
 */
export type ClaimRead = SignedCompletion | 'unreadable'

export function readClaim(claim: CompletionMessage): ClaimRead {
  const outputHash = hex32FromBytes(claim.outputHash)
  const signature = signatureFromBytes(claim.signature)
  const { outputTokens, completedAt } = claim
  if (!outputHash || !signature || !isReadableOnChain(claim)) return 'unreadable'
  return { outputHash, outputTokens, completedAt, signature }
}

/** The claim, where it proves to the contract what this worker has signed of this job. */
export function signedBy(
  worker: Address,
  jobId: JobId,
  claim: ClaimRead,
  separator: Uint8Array,
): SignedCompletion | undefined {
  if (claim === 'unreadable') return undefined
  const { signature, ...content } = claim
  return recover(completionDigest(separator, { jobId, ...content }), signature) === worker
    ? claim
    : undefined
}
