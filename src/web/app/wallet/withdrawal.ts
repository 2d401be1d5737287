import { type Address, BaseError, ContractFunctionRevertedError } from 'viem'
import { simulateContract } from 'viem/actions'
import type { Config } from 'wagmi'
import { writeContract } from 'wagmi/actions'
import { devUsdgAbi, jobEscrowAbi } from '../../../chain/abi.ts'
import type { WebConfig, WebVoucher } from '../../api.ts'
import { call } from '../api/call.ts'
import { requireUnmoved } from '../api/moved.ts'
import { type Call, NEXT_BLOCK, sendCall } from './call.ts'
import { unitsOf } from './token.ts'
import { included, type Say, type TxHash } from './transact.ts'
import { endWish, notePermission, openWish, requestIdOf } from './wish.ts'

interface From {
  readonly web: WebConfig
  readonly wallet: Address
}

/** Pays out at once, with the service's permission. */
export async function withdrawNow(
  config: Config,
  { web, wallet, credits, to }: From & WithdrawNow,
  say: Say,
): Promise<TxHash> {
  say('preparing')
  // A permission for other contracts would set credits aside there, and be refused by these.
  await requireUnmoved(web)
  await tryPayment(config, { web, credits, to })
  const begun = openWish(wallet)
  const requestId = requestIdOf({ wallet, credits, to })
  const body = { credits, to, request_id: requestId }
  const voucher = await call<WebVoucher>('POST', '/withdrawals', body).catch((error: unknown) => {
    // It still has its credits: no other is granted meanwhile, and without its request nobody could carry it out.
    if (begun) notePermission(begun)
    throw error
  })
  notePermission({ wallet, credits, to, requestId, deadline: voucher.deadline })
  say('signing')
  const asked = {
    address: web.contracts.job_escrow,
    abi: jobEscrowAbi,
    account: wallet,
    chainId: web.chain.id,
    functionName: 'withdraw',
    args: [BigInt(voucher.credits), voucher.to, BigInt(voucher.deadline), voucher.signature],
  } as const
  // A wallet may send what is refused, for a fee, and the chain then does not say why.
  await refusalOf(simulateContract(config.getClient(), { ...asked, blockTag: NEXT_BLOCK }))
  const hash = await writeContract(config, asked)
  say('confirming', { hash, of: requestId })
  const tx = await included(config, hash)
  endWish(requestId)
  return tx
}

export interface WithdrawNow {
  readonly credits: number
  readonly to: Address
}

/** Sets credits aside; they can be taken out after the waiting time, with nobody's consent. */
export const beginWithdrawal = (
  config: Config,
  { web, wallet, credits }: From & { readonly credits: number },
  say: Say,
): Promise<TxHash> =>
  sendCall(config, onEscrow(web, 'requestWithdrawal', [BigInt(credits)]), from(web, wallet), say)

export const completeWithdrawal = (
  config: Config,
  { web, wallet, to }: From & { readonly to: Address },
  say: Say,
): Promise<TxHash> =>
  sendCall(config, onEscrow(web, 'completeWithdrawal', [to]), from(web, wallet), say)

export const cancelWithdrawal = (
  config: Config,
  { web, wallet }: From,
  say: Say,
): Promise<TxHash> =>
  sendCall(config, onEscrow(web, 'cancelWithdrawal', []), from(web, wallet), say)

const onEscrow = (web: WebConfig, functionName: string, args: readonly unknown[]): Call => ({
  address: web.contracts.job_escrow,
  abi: jobEscrowAbi,
  functionName,
  args,
})

const from = (web: WebConfig, wallet: Address) => ({ wallet, chainId: web.chain.id })

/**
 * Tries the payment as the token would be asked for it by the escrow. The credits are set aside with the
 * permission, and so for nothing where the token is paused, or has frozen who is to be paid.
 * @throws what the token says; nothing where a node does not let a contract be the caller
 */
export async function tryPayment(
  config: Config,
  { web, credits, to }: WithdrawNow & { readonly web: WebConfig },
): Promise<void> {
  const trial = simulateContract(config.getClient(), {
    address: web.contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'transfer',
    args: [to, unitsOf({ web, credits })],
    account: web.contracts.job_escrow,
  })
  await refusalOf(trial)
}

/** @throws what a contract says; not that the node is silent: the wallet may know another one */
async function refusalOf(trial: Promise<unknown>): Promise<void> {
  try {
    await trial
  } catch (error) {
    if (error instanceof BaseError && error.walk(isRevert)) throw error
  }
}

const isRevert = (error: unknown): boolean => error instanceof ContractFunctionRevertedError
