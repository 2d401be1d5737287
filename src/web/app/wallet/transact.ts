import { waitForTransactionReceipt } from 'viem/actions'
import type { Config } from 'wagmi'

export type TxHash = `0x${string}`

/** Where a transaction of the wallet is, for the line that says so. */
export type Phase = 'signing' | 'sending' | 'confirming'

const INCLUDED_MS = 120_000

/**
 * Waits until the transaction is in a block.
 * @returns its hash in the end: a wallet may have sent it again with a higher fee
 * @throws when it failed on chain, was cancelled, or is in no block for two minutes
 */
export async function included(config: Config, hash: TxHash): Promise<TxHash> {
  let isOther = false
  // Not wagmi's own: that throws, without its hash, a transaction that failed.
  const receipt = await waitForTransactionReceipt(config.getClient(), {
    hash,
    timeout: INCLUDED_MS,
    onReplaced: ({ reason }) => {
      isOther = reason !== 'repriced'
    },
  })
  if (isOther) {
    throw new Error('The transaction did nothing: it was cancelled, or another took its place.')
  }
  if (receipt.status !== 'success') {
    throw new Error(`The transaction ${receipt.transactionHash} was refused by the contract.`)
  }
  return receipt.transactionHash
}
