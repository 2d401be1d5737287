import type { Hex, PublicClient, TransactionReceipt } from 'viem'
import { receiptOf } from '../../../src/chain/rpc/receipt.ts'
import { until } from '../../until.ts'

/**
 * Waits until a transaction is in a block. viem's own wait passes over a block that comes while it looks at the one
 * before, and a chain that mines at each transaction makes no other after it.
 * @throws where the contract refused it, or it is in no block within the deadline
 */
export async function mined(
  reader: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
): Promise<TransactionReceipt> {
  const receipt = await until(`${hash} in a block`, () => receiptOf(reader, hash))
  if (receipt.status !== 'success') throw new Error(`transaction ${hash} was refused by the chain`)
  return receipt
}
