import { encodeFunctionData, type Hex } from 'viem'
import { type Address, jobIdToBytes32 } from '../domain/ids.ts'
import { unreachable } from '../domain/result.ts'
import type { KeeperCall, KeeperOutcome } from '../ports/keeper.ts'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import { isRevert, type RpcError } from './rpc/json-rpc.ts'
import { revertReason } from './rpc/revert-reason.ts'
import { USDG_ERRORS } from './usdg-errors.ts'

/** Which contract it calls. */
export const targetOf = ({ type }: KeeperCall, contracts: Contracts): Address =>
  type === 'prove_equivocation' ? contracts.workerStaking : contracts.jobEscrow

export function dataOf(call: KeeperCall): Hex {
  switch (call.type) {
    case 'refund': {
      const args = [jobIdToBytes32(call.jobId)] as const
      return encodeFunctionData({ abi: jobEscrowAbi, functionName: 'refundExpired', args })
    }
    case 'end_dispute': {
      const args = [jobIdToBytes32(call.jobId)] as const
      return encodeFunctionData({ abi: jobEscrowAbi, functionName: 'expireDispute', args })
    }
    case 'sweep': {
      const args = [call.wallet] as const
      return encodeFunctionData({ abi: jobEscrowAbi, functionName: 'sweep', args })
    }
    case 'claim':
      return call.earner === 'treasury'
        ? encodeFunctionData({ abi: jobEscrowAbi, functionName: 'claimTreasury' })
        : encodeFunctionData({ abi: jobEscrowAbi, functionName: 'claim', args: [call.earner] })
    case 'prove_equivocation': {
      const [a, b] = call.completions.map(({ signature, ...content }) => ({
        ...content,
        ...signature,
      }))
      const args = [call.workerId, jobIdToBytes32(call.jobId), a!, b!] as const
      return encodeFunctionData({ abi: workerStakingAbi, functionName: 'slashEquivocation', args })
    }
    default:
      return unreachable(call)
  }
}

/** Errors of the contracts that say that the call's work is done already, or was never there. */
const NEEDLESS: ReadonlySet<string> = new Set([
  'JobNotLocked',
  'JobNotDisputed',
  'NothingToClaim',
  'BelowMinimumDeposit',
  'AlreadyPunished',
])

/** Errors that the same call will meet for ever. */
const HOPELESS: ReadonlySet<string> = new Set(['SameContent', 'BadSignature'])

/** What a simulation that the node refused says of the call; undefined: nothing, the node failed. */
export function refusalOf(error: RpcError): Extract<KeeperOutcome, { reason: string }> | undefined {
  if (!isRevert(error)) return undefined
  // One that is unknown is the token's, most likely.
  const reason = revertReason(error, ERRORS, 'an error of another contract')
  if (NEEDLESS.has(reason)) return { type: 'needless', reason }
  return { type: HOPELESS.has(reason) ? 'hopeless' : 'refused', reason }
}

const ERRORS = [...jobEscrowAbi, ...workerStakingAbi, ...devUsdgAbi, ...USDG_ERRORS].filter(
  ({ type }) => type === 'error',
)
