import { type Client, TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import { getTransaction, getTransactionCount, getTransactionReceipt } from 'viem/actions'
import type { Sender, Sent } from './sent.ts'

/** Where the chain has a transaction that was sent. */
export type Whereabouts =
  | { readonly state: 'waiting'; readonly sender: Sender }
  /** The node does not know it: it has not come there yet, or was dropped. */
  | { readonly state: 'unknown' }
  | { readonly state: 'included' }
  /** In a block, and refused by the contract. */
  | { readonly state: 'failed' }
  /** Another transaction has its nonce: the same with a higher fee, or a cancellation. */
  | { readonly state: 'replaced' }

export const isOver = ({ state }: Whereabouts): boolean =>
  state === 'included' || state === 'failed' || state === 'replaced'

/**
 * Several nodes may answer at one address, and lag behind one another: a receipt that one does not have is asked
 * for so often before another transaction is taken for the one with its nonce.
 */
const LOOKS = 3
const AGAIN_MS = 2_000

/** @throws where the node does not answer */
export async function whereabouts(
  client: Client,
  { hash, sender }: Pick<Sent, 'hash' | 'sender'>,
  againMs = AGAIN_MS,
): Promise<Whereabouts> {
  const before = await endOf(client, hash)
  if (before) return before
  const shown = await senderOf(client, hash)
  if (shown) return { state: 'waiting', sender: shown }
  if (!sender) return { state: 'unknown' }
  const used = await getTransactionCount(client, { address: sender.from })
  if (used <= sender.nonce) return { state: 'unknown' }
  for (let look = 1; look <= LOOKS; look++) {
    // It may also have got into a block between the questions.
    const end = await endOf(client, hash)
    if (end) return end
    if (look < LOOKS) await new Promise((resolve) => setTimeout(resolve, againMs))
  }
  return { state: 'replaced' }
}

/** Undefined: the node does not know it. */
export async function senderOf(client: Client, hash: Sent['hash']): Promise<Sender | undefined> {
  const found = await unless(TransactionNotFoundError, getTransaction(client, { hash }))
  return found && { from: found.from, nonce: found.nonce }
}

/** Undefined: it is in no block. */
async function endOf(client: Client, hash: Sent['hash']): Promise<Whereabouts | undefined> {
  const receipt = await unless(
    TransactionReceiptNotFoundError,
    getTransactionReceipt(client, { hash }),
  )
  return receipt && { state: receipt.status === 'success' ? 'included' : 'failed' }
}

async function unless<T>(
  nothing: abstract new (...given: never[]) => Error,
  asked: Promise<T>,
): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof nothing) return undefined
    throw error
  }
}
