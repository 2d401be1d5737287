import type { Address } from 'viem'
import type { Config } from 'wagmi'
import { writeContract } from 'wagmi/actions'
import { jobEscrowAbi } from '../../../chain/abi.ts'
import type { WebConfig, WebVoucher } from '../../api.ts'
import { call } from '../api/call.ts'
import { included, type Say, type TxHash } from './transact.ts'
import { endWish, notePermission, requestIdOf } from './wish.ts'

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
  const requestId = requestIdOf({ wallet, credits, to })
  const body = { credits, to, request_id: requestId }
  const voucher = await call<WebVoucher>('POST', '/withdrawals', body)
  notePermission(voucher.deadline)
  const write = () =>
    writeContract(config, {
      ...escrowOf(web, wallet),
      functionName: 'withdraw',
      args: [BigInt(voucher.credits), voucher.to, BigInt(voucher.deadline), voucher.signature],
    })
  const hash = await send(config, say, write, requestId)
  endWish(requestId)
  return hash
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
  send(config, say, () =>
    writeContract(config, {
      ...escrowOf(web, wallet),
      functionName: 'requestWithdrawal',
      args: [BigInt(credits)],
    }),
  )

export const completeWithdrawal = (
  config: Config,
  { web, wallet, to }: From & { readonly to: Address },
  say: Say,
): Promise<TxHash> =>
  send(config, say, () =>
    writeContract(config, {
      ...escrowOf(web, wallet),
      functionName: 'completeWithdrawal',
      args: [to],
    }),
  )

export const cancelWithdrawal = (
  config: Config,
  { web, wallet }: From,
  say: Say,
): Promise<TxHash> =>
  send(config, say, () =>
    writeContract(config, {
      ...escrowOf(web, wallet),
      functionName: 'cancelWithdrawal',
      args: [],
    }),
  )

const escrowOf = (web: WebConfig, wallet: Address) => ({
  address: web.contracts.job_escrow,
  abi: jobEscrowAbi,
  account: wallet,
  chainId: web.chain.id,
})

async function send(
  config: Config,
  say: Say,
  write: () => Promise<TxHash>,
  of?: string,
): Promise<TxHash> {
  say('signing')
  const hash = await write()
  say('confirming', { hash, of })
  return included(config, hash)
}
