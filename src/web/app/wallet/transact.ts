import { type Client, TransactionReceiptNotFoundError } from 'viem'
import {
  type WaitForTransactionReceiptParameters,
  type WatchBlockNumberParameters,
  waitForTransactionReceipt,
  watchBlockNumber,
} from 'viem/actions'
import type { Config } from 'wagmi'

export type TxHash = `0x${string}`

/** Where a transaction of the wallet is, for the line that says so. */
export type Phase = 'preparing' | 'signing' | 'sending' | 'confirming'

/** Of a transaction that is on its way; `of` as in `Sent`. */
export interface OnItsWay {
  readonly hash: TxHash
  readonly of?: string | undefined
}
export type Say = (phase: Phase, sent?: OnItsWay) => void

/** It did nothing, and will not do so any more. */
export class Undone extends Error {}

const INCLUDED_MS = 120_000
const AGAIN_POLLS = 4

/**
 * Waits until the transaction is in a block.
 * @returns its hash in the end: a wallet may have sent it again with a higher fee
 * @throws Undone when it failed on chain or was cancelled; also when it is in no block for two minutes
 */
export async function included(config: Config, hash: TxHash): Promise<TxHash> {
  let isOther = false
  // Not wagmi's own: that throws, without its hash, a transaction that failed.
  const receipt = await receiptOf(config, {
    hash,
    onReplaced: ({ reason }) => {
      isOther = reason !== 'repriced'
    },
  })
  if (isOther) {
    throw new Undone('The transaction did nothing: it was cancelled, or another took its place.')
  }
  if (receipt.status !== 'success') {
    throw new Undone(`The transaction ${receipt.transactionHash} was refused by the contract.`)
  }
  return receipt.transactionHash
}

/** A node may know a block before the receipts in it, where viem gives up. */
async function receiptOf(config: Config, asked: WaitForTransactionReceiptParameters) {
  const client = lookingTwice(config.getClient())
  const deadline = performance.now() + INCLUDED_MS
  for (;;) {
    const timeout = Math.max(1, deadline - performance.now())
    try {
      return await waitForTransactionReceipt(client, { ...asked, timeout })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || timeout === 1) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, client.pollingInterval))
  }
}

/**
 * Tells the last block again from time to time. viem's wait passes over a block that comes while it looks at the one
 * before, and then waits for another, which a quiet chain makes late.
 */
const lookingTwice = (client: Client) =>
  client.extend(() => ({
    watchBlockNumber: ({ onBlockNumber, ...asked }: WatchBlockNumberParameters) => {
      let last: bigint | undefined
      const unwatch = watchBlockNumber(client, {
        ...asked,
        onBlockNumber: (block, before) => {
          last = block
          onBlockNumber(block, before)
        },
      })
      const tellAgain = () => last !== undefined && onBlockNumber(last, last)
      const again = setInterval(tellAgain, AGAIN_POLLS * client.pollingInterval)
      return () => {
        clearInterval(again)
        unwatch()
      }
    },
  }))
