import {
  compactSignatureToSignature,
  decodeFunctionData,
  type Hex,
  recoverTypedDataAddress,
  serializeSignature,
} from 'viem'
import { COMPLETION, COMPLETION_DOMAIN, escrowCalls } from '../chain/abi.ts'
import type { Chain } from '../chain/connect.ts'
import type { LockFact, ProofFact } from './facts.ts'

/** What a lock's transaction asked for; null where it is not a plain batch with this job. */
export async function askedLock(chain: Chain, tx: Hex, key: Hex): Promise<LockFact['asked']> {
  const call = await callOf(chain, tx)
  if (call?.functionName !== 'lockBatch') return null
  const item = call.args[0].find(({ jobId }) => jobId === key)
  return item ? { wallet: item.wallet, credits: BigInt(item.credits), tier: item.tier } : null
}

/** The worker's signed statement in a settlement; null where it is not a plain batch with it. */
export async function signedProof(chain: Chain, tx: Hex, key: Hex): Promise<ProofFact | null> {
  const call = await callOf(chain, tx)
  if (call?.functionName !== 'settleBatch') return null
  const item = call.args[0].find(({ jobId }) => jobId === key)
  if (!item) return null
  const { r, vs, workerId, ...message } = item
  const recover = async () =>
    recoverTypedDataAddress({
      domain: { ...COMPLETION_DOMAIN, chainId: chain.chainId, verifyingContract: chain.escrow },
      types: COMPLETION,
      primaryType: 'Completion',
      message,
      signature: serializeSignature(compactSignatureToSignature({ r, yParityAndS: vs })),
    })
  // What is no point of the curve, or out of its range, is nobody's signature.
  const signer = await recover().catch(() => null)
  const { outputTokens, completedAt } = message
  return { workerId, outputHash: publicHash(message.outputHash), outputTokens, completedAt, signer }
}

async function callOf({ client, escrow }: Chain, hash: Hex) {
  const { to, input } = await client.getTransaction({ hash })
  if (to?.toLowerCase() !== escrow) return undefined
  try {
    return decodeFunctionData({ abi: escrowCalls, data: input })
  } catch {
    return undefined // another function, which carries no batch
  }
}

export const publicHash = (hash: Hex): string => `sha256:${hash.slice(2)}`
