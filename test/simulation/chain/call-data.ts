import { type AbiFunction, decodeAbiParameters, encodeFunctionData, toFunctionSelector } from 'viem'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import {
  type Address,
  type Hex32,
  type JobId,
  jobIdFromBytes32,
  jobIdToBytes32,
} from '../../../src/domain/ids.ts'
import { expandSignature } from '../../../src/domain/proof.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type { Call, SettleItem, SignedContent } from './calls.ts'
import { compact } from './terms.ts'

const FUNCTIONS: ReadonlyMap<Hex, AbiFunction> = new Map(
  [...jobEscrowAbi, ...workerStakingAbi, ...devUsdgAbi].flatMap((item) =>
    item.type === 'function'
      ? [[toFunctionSelector(item as AbiFunction), item as AbiFunction]]
      : [],
  ),
)

/** Which function is called, with what. */
export function readCall(data: Hex): { readonly name: string; readonly args: readonly unknown[] } {
  const item = FUNCTIONS.get(data.slice(0, 10) as Hex)
  if (!item) throw new Error(`no such function: ${data.slice(0, 10)}`)
  const args =
    item.inputs.length === 0 ? [] : decodeAbiParameters(item.inputs, `0x${data.slice(10)}`)
  return { name: item.name, args: args as readonly unknown[] }
}

/** A transaction's data as what it asks of the contracts. */
export function decodeCall(data: Hex): Call {
  const { name, args } = readCall(data)
  const [first, second] = args
  switch (name) {
    case 'lockBatch':
      return {
        type: name,
        items: (first as RawLock[]).map(({ jobId, wallet, credits, tier }) => {
          return { jobId: idOf(jobId), wallet: lower(wallet), credits: BigInt(credits), tier }
        }),
      }
    case 'settleBatch':
      return { type: name, items: (first as RawSettle[]).map(settleItem) }
    case 'refundBatch':
      return { type: name, jobIds: (first as Hex[]).map(idOf) }
    case 'disputeBatch':
      return {
        type: name,
        items: (first as { jobId: Hex; claimedHash: Hex32 }[]).map((item) => ({
          jobId: idOf(item.jobId),
          claimedHash: item.claimedHash,
        })),
      }
    case 'refundExpired':
    case 'expireDispute':
      return { type: name, jobId: idOf(first as Hex) }
    case 'sweep':
      return { type: name, wallet: lower(first as Address) }
    case 'claim':
      return { type: name, workerId: first as number }
    case 'claimTreasury':
      return { type: name }
    case 'register': {
      const signature = compact(args[2] as Hex)
      return {
        type: name,
        signer: lower(first as Address),
        payee: lower(second as Address),
        signature,
      }
    }
    case 'slashEquivocation': {
      const completions = [args[2], args[3]].map((raw) => signedContent(raw as RawContent))
      const [a, b] = completions
      return {
        ...{ type: name, workerId: first as number, jobId: idOf(second as Hex) },
        completions: [a!, b!],
      }
    }
    default:
      throw new Error(`the simulated chain does not know ${name}`)
  }
}

interface RawLock {
  readonly jobId: Hex
  readonly wallet: Address
  readonly credits: number
  readonly tier: number
}
interface RawContent {
  readonly outputHash: Hex32
  readonly outputTokens: number
  readonly completedAt: number
  readonly r: Hex32
  readonly vs: Hex32
}
type RawSettle = RawContent & { readonly jobId: Hex; readonly workerId: number }

function settleItem(raw: RawSettle): SettleItem {
  const { jobId, workerId, outputHash, outputTokens, completedAt, r, vs } = raw
  const id = idOf(jobId)
  const completion = { jobId: id, outputHash, outputTokens, completedAt: Number(completedAt) }
  return { jobId: id, completion, workerId, signature: { r, vs } }
}

const signedContent = (raw: RawContent): SignedContent => ({
  outputHash: raw.outputHash,
  outputTokens: raw.outputTokens,
  completedAt: Number(raw.completedAt),
  signature: { r: raw.r, vs: raw.vs },
})

function idOf(bytes: Hex): JobId {
  const parsed = jobIdFromBytes32(bytes)
  if (!parsed.ok) throw new Error(`${parsed.error}, not ${bytes}`)
  return parsed.value
}

const lower = (address: Address): Address => address.toLowerCase() as Address

/** The same call for the contracts themselves. */
export function encodeCall(
  call: Call,
  { jobEscrow, workerStaking, usdg }: Contracts,
): { readonly to: Address; readonly data: Hex } {
  const escrow = (functionName: string, args: readonly unknown[]) => ({
    to: jobEscrow,
    data: encodeFunctionData({ abi: jobEscrowAbi, functionName, args } as never),
  })
  const staking = (functionName: string, args: readonly unknown[]) => ({
    to: workerStaking,
    data: encodeFunctionData({ abi: workerStakingAbi, functionName, args } as never),
  })
  switch (call.type) {
    case 'lockBatch':
      return escrow(call.type, [
        call.items.map(({ jobId, credits, ...item }) => {
          return { ...item, jobId: jobIdToBytes32(jobId), credits: Number(credits) }
        }),
      ])
    case 'settleBatch':
      return escrow(call.type, [
        call.items.map(({ jobId, workerId, completion, signature }) => {
          return { ...completion, ...signature, workerId, jobId: jobIdToBytes32(jobId) }
        }),
      ])
    case 'refundBatch':
      return escrow(call.type, [call.jobIds.map(jobIdToBytes32)])
    case 'disputeBatch':
      return escrow(call.type, [
        call.items.map((item) => ({ ...item, jobId: jobIdToBytes32(item.jobId) })),
      ])
    case 'refundExpired':
    case 'expireDispute':
      return escrow(call.type, [jobIdToBytes32(call.jobId)])
    case 'openDispute':
      return escrow(call.type, [jobIdToBytes32(call.jobId), call.claimedHash])
    case 'resolveDispute':
      return escrow(call.type, [jobIdToBytes32(call.jobId), call.upheld])
    case 'deposit':
      return escrow(call.type, [call.wallet, call.credits])
    case 'sweep':
      return escrow(call.type, [call.wallet])
    case 'mint': {
      const args = [call.to, call.units] as const
      return { to: usdg, data: encodeFunctionData({ abi: devUsdgAbi, functionName: 'mint', args }) }
    }
    case 'withdraw':
      return escrow(call.type, [call.credits, call.to, BigInt(call.deadline), call.voucher])
    case 'requestWithdrawal':
      return escrow(call.type, [call.credits])
    case 'cancelWithdrawal':
    case 'pause':
    case 'unpause':
    case 'claimTreasury':
      return escrow(call.type, [])
    case 'completeWithdrawal':
      return escrow(call.type, [call.to])
    case 'setSpendLimit':
      return escrow(call.type, [Number(call.creditsPerDay)])
    case 'grantRole':
    case 'revokeRole':
      return escrow(call.type, [roleId(call.role), call.account])
    case 'setSettleCap':
      return escrow(call.type, [call.creditsPerHour])
    case 'claim':
      return escrow(call.type, [call.workerId])
    case 'register':
      return staking(call.type, [call.signer, call.payee, expandSignature(call.signature)])
    case 'deactivate':
      return staking(call.type, [call.workerId])
    case 'stake':
      return staking(call.type, [call.workerId, call.amount])
    case 'slashEquivocation': {
      const [a, b] = call.completions.map(({ signature, ...content }) => {
        return { ...content, ...signature }
      })
      return staking(call.type, [call.workerId, jobIdToBytes32(call.jobId), a, b])
    }
    default:
      throw new Error(`no such call: ${JSON.stringify(call satisfies never)}`)
  }
}
