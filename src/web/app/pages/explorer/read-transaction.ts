import {
  type Abi,
  BaseError,
  BlockNotFoundError,
  CallExecutionError,
  decodeErrorResult,
  type Hex,
  type PublicClient,
  type Transaction,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { WebConfig } from '../../../api.ts'
import { contractsOf } from '../../chain/contracts.ts'
import { type ChainEvent, eventOf } from '../../chain/events.ts'
import { readerOf } from '../../chain/reader.ts'

export interface FoundTransaction {
  readonly is: 'transaction'
  readonly transaction: Transaction
  /** Null: in no block yet. */
  readonly receipt: TransactionReceipt | null
  /** Of its block, in Unix seconds. */
  readonly timestamp: bigint | undefined
  readonly events: readonly ChainEvent[]
  /** Why it failed, where the node can still tell. */
  readonly failure: string | undefined
}
export type Found =
  | FoundTransaction
  | { readonly is: 'block'; readonly number: bigint }
  | { readonly is: 'nothing' }

export async function readTransaction(web: WebConfig, hash: Hex): Promise<Found> {
  const client = readerOf(web)
  const [transaction, receipt] = await Promise.all([
    client.getTransaction({ hash }).catch(unless(TransactionNotFoundError)),
    client.getTransactionReceipt({ hash }).catch(unless(TransactionReceiptNotFoundError)),
  ])
  if (!transaction) {
    const block = await client.getBlock({ blockHash: hash }).catch(unless(BlockNotFoundError))
    return block?.number == null ? { is: 'nothing' } : { is: 'block', number: block.number }
  }
  const block = receipt && (await client.getBlock({ blockNumber: receipt.blockNumber }))
  const failed = receipt?.status === 'reverted'
  return {
    ...{ is: 'transaction', transaction, receipt },
    timestamp: block?.timestamp,
    events: receipt?.logs.flatMap((log) => eventOf(web, log) ?? []) ?? [],
    failure: failed ? await readFailure(web, client, transaction, receipt) : undefined,
  }
}

const unless =
  (Expected: new (...args: never[]) => Error) =>
  (error: unknown): null => {
    if (error instanceof Expected) return null
    throw error
  }

/** Asks the node to run it once more, on the state that it met; not every node keeps that. */
async function readFailure(
  web: WebConfig,
  client: PublicClient,
  { from, to, input, value, gas }: Transaction,
  receipt: TransactionReceipt,
): Promise<string> {
  if (receipt.gasUsed === gas) return 'It ran out of gas.'
  try {
    const blockNumber = receipt.blockNumber - 1n
    await client.call({ account: from, to, data: input, value, blockNumber })
    return 'It would have worked a block earlier: something else came first.'
  } catch (error) {
    if (!(error instanceof CallExecutionError)) throw error
    return nameOf(web, error) ?? 'The node does not tell why.'
  }
}

function nameOf(web: WebConfig, error: CallExecutionError): string | undefined {
  const cause = error.walk((each) => each instanceof BaseError && 'data' in each)
  const data = cause && 'data' in cause ? cause.data : undefined
  const bytes = typeof data === 'string' ? data : undefined
  const abi: Abi = contractsOf(web).flatMap((contract) => contract.abi)
  if (!bytes?.startsWith('0x')) return undefined
  try {
    const { errorName, args } = decodeErrorResult({ abi, data: bytes as Hex })
    return `The contract refused: ${errorName}(${(args ?? []).join(', ')}).`
  } catch {
    return undefined // an error of a contract of others
  }
}
