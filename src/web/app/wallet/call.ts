import type { Abi, Address } from 'viem'
import type { Config } from 'wagmi'
import { simulateContract, writeContract } from 'wagmi/actions'
import { included, type Say, type TxHash } from './transact.ts'

/**
 * Where a call is tried: in the block that it would come into. The latest one has the time of the
 * past, in which votes that were delegated just now do not count yet.
 */
export const NEXT_BLOCK = 'pending'

/** One call of a contract. */
export interface Call {
  readonly address: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

interface Sender {
  readonly wallet: Address
  readonly chainId: number
}

/**
 * Sends it from the wallet.
 * @returns once it is in a block
 * @throws before anything is sent where the contract would refuse
 */
export async function sendCall(
  config: Config,
  call: Call,
  from: Sender,
  say: Say,
): Promise<TxHash> {
  say('signing')
  const hash = await handToWallet(config, call, from)
  say('confirming', { hash })
  return included(config, hash)
}

/**
 * Has the wallet send it. A wallet may send what is refused, for a fee, and the chain then does not say why: so it is
 * tried before.
 * @returns its hash, as soon as the wallet tells it
 * @throws before anything is sent where the contract would refuse
 */
export async function handToWallet(
  config: Config,
  call: Call,
  { wallet, chainId }: Sender,
): Promise<TxHash> {
  const asked = { ...call, account: wallet, chainId }
  await simulateContract(config, { ...asked, blockTag: NEXT_BLOCK })
  return writeContract(config, asked)
}
