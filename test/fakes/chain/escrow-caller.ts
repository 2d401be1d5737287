import { createPublicClient, type Hex } from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { type Hex32, type JobId, jobIdToBytes32 } from '../../../src/domain/ids.ts'
import { mined } from './mined.ts'
import { makeWriter } from './writer.ts'

interface Caller {
  readonly rpcUrl: string
  readonly contracts: Pick<Contracts, 'jobEscrow'>
  readonly privateKey: Hex
}

/**
 * What anybody with a key and some gas can do about a dispute, without the service. Each call
 * resolves once it is in a block, and throws with the contract's error where it is refused.
 */
export function makeEscrowCaller({ rpcUrl, contracts, privateKey }: Caller) {
  const reader = createPublicClient({ transport: headFollowing(rpcUrl) })
  const writer = makeWriter(rpcUrl, privateKey)
  const escrow = { address: contracts.jobEscrow, abi: jobEscrowAbi, chain: null } as const
  const included = async (hash: Hex): Promise<void> => {
    await mined(reader, hash)
  }
  return {
    /** As the job's own wallet. */
    openDispute: async (jobId: JobId, claimedHash: Hex32) => {
      const args = [jobIdToBytes32(jobId), claimedHash] as const
      await included(await writer.writeContract({ ...escrow, functionName: 'openDispute', args }))
    },
    /** As the arbiter. */
    resolveDispute: async (jobId: JobId, upheld: boolean) => {
      const args = [jobIdToBytes32(jobId), upheld] as const
      await included(
        await writer.writeContract({ ...escrow, functionName: 'resolveDispute', args }),
      )
    },
    /** As anyone, a day after the opening. */
    expireDispute: async (jobId: JobId) => {
      const args = [jobIdToBytes32(jobId)] as const
      await included(await writer.writeContract({ ...escrow, functionName: 'expireDispute', args }))
    },
  }
}
