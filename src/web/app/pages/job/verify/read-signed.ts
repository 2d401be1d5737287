import {
  compactSignatureToSignature,
  decodeFunctionData,
  type Hex,
  isAddressEqual,
  recoverTypedDataAddress,
  serializeSignature,
} from 'viem'
import { jobEscrowAbi } from '../../../../../chain/abi.ts'
import type { SignedFact } from './facts.ts'
import type { Source } from './source.ts'

/** What a worker signs once it has answered, EIP-712. */
const COMPLETION = {
  Completion: [
    { name: 'jobId', type: 'bytes32' },
    { name: 'outputHash', type: 'bytes32' },
    { name: 'outputTokens', type: 'uint32' },
    { name: 'completedAt', type: 'uint40' },
  ],
} as const

/** The worker's signed statement in a settlement's calldata; null where it is no plain batch with it. */
export async function readSigned(source: Source, hash: Hex): Promise<SignedFact | null> {
  const { client, escrow, chainId, key } = source
  const { to, input } = await client.getTransaction({ hash })
  if (!to || !isAddressEqual(to, escrow)) return null
  const call = callOf(input)
  const item =
    call?.functionName === 'settleBatch' ? call.args[0].find(({ jobId }) => jobId === key) : null
  if (!item) return null
  const { r, vs, workerId, ...message } = item
  const signer = await recoverTypedDataAddress({
    domain: { name: 'JobEscrow', version: '1', chainId, verifyingContract: escrow },
    types: COMPLETION,
    primaryType: 'Completion',
    message,
    signature: serializeSignature(compactSignatureToSignature({ r, yParityAndS: vs })),
  }).catch(() => null) // what is no point of the curve is nobody's signature
  return { workerId, ...message, signer }
}

function callOf(data: Hex) {
  try {
    return decodeFunctionData({ abi: jobEscrowAbi, data })
  } catch {
    return undefined // of another contract
  }
}
