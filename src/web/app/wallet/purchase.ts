import type { Address } from 'viem'
import type { Config } from 'wagmi'
import { getBytecode, readContract, signTypedData } from 'wagmi/actions'
import { devUsdgAbi, jobEscrowAbi } from '../../../chain/abi.ts'
import { requireUnmoved } from '../api/moved.ts'
import { serviceNow } from '../api/service-clock.ts'
import { isContractCode } from '../chain/code.ts'
import { handToWallet } from './call.ts'
import { signatureParts } from './signature.ts'
import {
  buyRelayed,
  type DepositTerms,
  endDeposit,
  sendDeposit,
  signedDeposit,
} from './signed-deposit.ts'
import { tokenDomain, unitsOf } from './token.ts'
import { included, type Say, type TxHash } from './transact.ts'

export interface Purchase extends DepositTerms {
  /** The service sends the payment; else the wallet does, and pays the network's fee. */
  readonly relayed: boolean
}

const VALID_SECONDS = 3_600
/** Clocks of services and of chains differ. */
const SKEW_SECONDS = 600
const MS = 1_000

/** Contracts cannot make the signatures that this token checks; they pay by a plain transfer. */
export async function canSign(config: Config, wallet: Address): Promise<boolean> {
  return !isContractCode(await getBytecode(config, { address: wallet }))
}

/**
 * Buys credits with one signature: EIP-3009 where the service sends it, else an EIP-2612 permit that
 * the wallet sends itself. What it has signed for the service, and may be paid yet, it sends instead.
 * @returns the transaction, once it is in a block
 */
export async function buyCredits(config: Config, purchase: Purchase, say: Say): Promise<TxHash> {
  say('preparing')
  await requireUnmoved(purchase.web)
  say('signing')
  const pay = purchase.relayed ? buyRelayed : buyFromWallet
  const hash = await pay(config, purchase, say)
  const salt = signedDeposit(purchase)?.salt
  say('confirming', { hash, of: salt })
  const tx = await included(config, hash)
  // One that was signed for another amount may still be paid.
  if (salt !== undefined) endDeposit(salt)
  return tx
}

async function buyFromWallet(config: Config, purchase: Purchase, say: Say): Promise<TxHash> {
  const signed = signedDeposit(purchase)
  return signed ? sendDeposit(config, purchase, signed, say) : buyWithPermit(config, purchase, say)
}

async function buyWithPermit(config: Config, purchase: Purchase, say: Say): Promise<TxHash> {
  const { web, wallet, credits } = purchase
  const deadline = BigInt(Math.floor(serviceNow() / MS) + VALID_SECONDS + SKEW_SECONDS)
  const nonce = await readContract(config, {
    address: web.contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'nonces',
    args: [wallet],
  })
  const signature = await signTypedData(config, {
    account: wallet,
    domain: await tokenDomain(config, web),
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
    message: {
      owner: wallet,
      spender: web.contracts.job_escrow,
      value: unitsOf(purchase),
      nonce,
      deadline,
    },
  })
  const { v, r, s } = signatureParts(signature)
  say('sending')
  const deposit = {
    address: web.contracts.job_escrow,
    abi: jobEscrowAbi,
    functionName: 'depositWithPermit',
    args: [wallet, BigInt(credits), deadline, v, r, s],
  }
  return handToWallet(config, deposit, { wallet, chainId: web.chain.id })
}
