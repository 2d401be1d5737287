import { createPublicClient, encodeFunctionData, numberToHex } from 'viem'
import { rComputeAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import { completionDigest, domainSeparator, sign } from '../../../src/domain/proof.ts'
import type { SignedCompletion } from '../../../src/messages/strikes.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { addressOf, KEYS, keyBytes, type LocalChain, SETTINGS } from './anvil.ts'
import { mined } from './mined.ts'
import { makeWriter } from './writer.ts'

const DEPLOYER = addressOf(KEYS.deployer)

/** What is at stake for the one worker of the tests, and what it signs. Amounts in units of RCompute. */
export function makeStakeCaller({ rpc, rpcUrl, contracts }: LocalChain) {
  const reader = createPublicClient({ transport: headFollowing(rpcUrl) })
  const writer = makeWriter(rpcUrl, KEYS.deployer)
  const staking = { address: contracts.workerStaking, abi: workerStakingAbi, chain: null } as const
  const rCompute = { address: contracts.rCompute, abi: rComputeAbi, chain: null } as const

  const included = async (sent: Promise<Hex>): Promise<void> => {
    await mined(reader, await sent)
  }
  /** The treasury has them all at the deployment. */
  const takeTokens = async (amount: bigint) => {
    const from = SETTINGS.treasury
    const args = [DEPLOYER, amount] as const
    const data = encodeFunctionData({ abi: rComputeAbi, functionName: 'transfer', args })
    await rpc.call('anvil_setBalance', [from, numberToHex(10n ** 18n)])
    await rpc.call('anvil_impersonateAccount', [from])
    await included(rpc.call<Hex>('eth_sendTransaction', [{ from, to: rCompute.address, data }]))
  }
  return {
    stakeFor: async (workerId: number, amount: bigint) => {
      await takeTokens(amount)
      const approve = { functionName: 'approve', args: [staking.address, amount] } as const
      await included(writer.writeContract({ ...rCompute, ...approve }))
      const stake = { functionName: 'stake', args: [workerId, amount] } as const
      await included(writer.writeContract({ ...staking, ...stake }))
    },
    stakeOf: async (workerId: number): Promise<bigint> => {
      const about = { functionName: 'workers', args: [workerId], blockTag: 'pending' } as const
      const { active, unbonding } = await reader.readContract({ ...staking, ...about })
      return active + unbonding
    },
    /** As `worker` with the number 1 would sign it. */
    signed: (jobId: JobId, text: string, key: Hex = KEYS.worker): SignedCompletion => {
      const { chainId, jobEscrow: contract } = contracts
      const content = { outputHash: outputHash(text), outputTokens: 20, completedAt: 1_800_000_000 }
      const separator = domainSeparator({ name: 'JobEscrow', chainId, contract })
      const digest = completionDigest(separator, { jobId, ...content })
      return { ...content, signature: sign(digest, keyBytes(key)) }
    },
  }
}
