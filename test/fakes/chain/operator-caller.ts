import { createPublicClient, type Hex } from 'viem'
import { jobEscrowAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type Address, type JobId, jobIdToBytes32 } from '../../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  expandSignature,
  registrationDigest,
  sign,
} from '../../../src/domain/proof.ts'
import { addressOf, KEYS, keyBytes } from './anvil.ts'
import { CLAIMED } from './intents.ts'
import { mined } from './mined.ts'
import { makeWriter } from './writer.ts'

/** A node that is mining refuses to read its latest block now and then. */
const PENDING = { blockTag: 'pending' } as const

interface Caller {
  readonly rpcUrl: string
  readonly contracts: Contracts
}

/** What the service does with the lanes' keys, without the service. Each call resolves once it is in a block. */
export function makeOperatorCaller({ rpcUrl, contracts }: Caller) {
  const reader = createPublicClient({ transport: headFollowing(rpcUrl) })
  const by = (key: Hex) => makeWriter(rpcUrl, key)
  const [locker, settler] = [by(KEYS.lock), by(KEYS.settle)]
  const escrow = { address: contracts.jobEscrow, abi: jobEscrowAbi, chain: null } as const
  const { chainId } = contracts

  const included = async (sent: Promise<Hex>): Promise<void> => {
    const hash = await sent
    await mined(reader, hash)
  }
  const settleItem = (jobId: JobId, outputTokens: number) => {
    const completion = {
      jobId,
      outputHash: outputHash('an answer'),
      outputTokens,
      completedAt: 1_800_000_000,
    }
    const separator = domainSeparator({ name: 'JobEscrow', chainId, contract: escrow.address })
    const { r, vs } = sign(completionDigest(separator, completion), keyBytes(KEYS.worker))
    return { ...completion, jobId: jobIdToBytes32(jobId), workerId: 1, r, vs }
  }

  return {
    /** The one worker, with the number 1. */
    registerWorker: async (payee: Address) => {
      const signer = addressOf(KEYS.worker)
      const contract = contracts.workerStaking
      const separator = domainSeparator({ name: 'WorkerStaking', chainId, contract })
      const signed = sign(registrationDigest(separator, signer, payee), keyBytes(KEYS.worker))
      const call = {
        address: contract,
        abi: workerStakingAbi,
        functionName: 'register',
        args: [signer, payee, expandSignature(signed)],
        chain: null,
      } as const
      await included(settler.writeContract(call))
    },
    /** Of the tier `standard`. */
    lock: (jobIds: readonly JobId[], wallet: Address, credits = 8) => {
      const items = jobIds.map((id) => ({ jobId: jobIdToBytes32(id), wallet, credits, tier: 1 }))
      return included(locker.writeContract({ ...escrow, functionName: 'lockBatch', args: [items] }))
    },
    settle: (jobIds: readonly JobId[], outputTokens = 20) => {
      const args = [jobIds.map((jobId) => settleItem(jobId, outputTokens))] as const
      return included(settler.writeContract({ ...escrow, functionName: 'settleBatch', args }))
    },
    refund: (jobIds: readonly JobId[]) => {
      const args = [jobIds.map(jobIdToBytes32)] as const
      return included(settler.writeContract({ ...escrow, functionName: 'refundBatch', args }))
    },
    dispute: (jobIds: readonly JobId[]) => {
      const items = jobIds.map((id) => ({ jobId: jobIdToBytes32(id), claimedHash: CLAIMED }))
      return included(
        settler.writeContract({ ...escrow, functionName: 'disputeBatch', args: [items] }),
      )
    },
    /** Members of the enum JobStatus. */
    statusOf: async (jobId: JobId): Promise<number> => {
      const args = [jobIdToBytes32(jobId)] as const
      return (await reader.readContract({ ...escrow, functionName: 'jobs', args, ...PENDING }))
        .status
    },
    available: async (wallet: Address): Promise<bigint> =>
      (
        await reader.readContract({
          ...escrow,
          functionName: 'accounts',
          args: [wallet],
          ...PENDING,
        })
      )[0],
    depositAddress: async (wallet: Address): Promise<Address> => {
      const args = [wallet] as const
      const found = await reader.readContract({ ...escrow, functionName: 'depositAddress', args })
      return found.toLowerCase() as Address
    },
  }
}
