import type { Address } from 'viem'
import type { Config } from 'wagmi'
import { readContract, signTypedData } from 'wagmi/actions'
import { rComputeAbi, workerStakingAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { requireUnmoved } from '../api/moved.ts'
import { serviceNow } from '../api/service-clock.ts'
import { sendCall } from './call.ts'
import { canSign } from './purchase.ts'
import { signatureParts } from './signature.ts'
import type { Say, TxHash } from './transact.ts'

export interface Stake {
  readonly web: WebConfig
  /** Gives the stake away: from then on it is the worker's. */
  readonly wallet: Address
  readonly workerId: number
  /** In units of RCOMPUTE. */
  readonly amount: bigint
}

const VALID_SECONDS = 3_600
const MS = 1_000

/** With a permit (EIP-2612) and one transaction; a contract, which cannot sign, approves first. */
export async function stake(
  config: Config,
  { web, wallet, workerId, amount }: Stake,
  say: Say,
): Promise<TxHash> {
  const { r_compute: token, worker_staking: staking } = web.contracts
  const from = { wallet, chainId: web.chain.id }
  await requireUnmoved(web)
  const to = { address: staking, abi: workerStakingAbi }
  if (!(await canSign(config, wallet))) {
    const approval = { functionName: 'approve', args: [staking, amount] }
    await sendCall(config, { address: token, abi: rComputeAbi, ...approval }, from, say)
    const args = [workerId, amount]
    return sendCall(config, { ...to, functionName: 'stake', args }, from, say)
  }
  say('signing')
  const deadline = BigInt(Math.floor(serviceNow() / MS) + VALID_SECONDS)
  const { v, r, s } = signatureParts(await signPermit(config, { web, wallet, amount, deadline }))
  const args = [workerId, amount, deadline, v, r, s]
  return sendCall(config, { ...to, functionName: 'stakeWithPermit', args }, from, say)
}

interface Permit extends Omit<Stake, 'workerId'> {
  /** Unix seconds. */
  readonly deadline: bigint
}

async function signPermit(config: Config, { web, wallet, amount, deadline }: Permit) {
  const { r_compute: token, worker_staking: spender } = web.contracts
  const about = { address: token, abi: rComputeAbi } as const
  const [nonce, [, name, version, chainId, verifyingContract]] = await Promise.all([
    readContract(config, { ...about, functionName: 'nonces', args: [wallet] }),
    readContract(config, { ...about, functionName: 'eip712Domain' }),
  ])
  return signTypedData(config, {
    account: wallet,
    domain: { name, version, chainId, verifyingContract },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: wallet, spender, value: amount, nonce, deadline },
  })
}
