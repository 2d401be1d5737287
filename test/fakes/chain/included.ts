import type { Lane } from '../../../src/messages/subjects.ts'
import type { EscrowWriter, Receipt, SignedTransaction } from '../../../src/ports/escrow.ts'

/** Sends a transaction that is the first of its nonce, and waits for its block. */
export async function included(
  writer: EscrowWriter,
  lane: Lane,
  transaction: SignedTransaction,
  broadcast: () => void = () => {},
): Promise<Receipt> {
  const receipt = await writer.send(lane, { transaction, earlier: [] }, broadcast)
  if (receipt === 'stuck') throw new Error(`${transaction.hash} is stuck`)
  return receipt
}
