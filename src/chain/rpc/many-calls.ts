import {
  type Abi,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  createPublicClient,
  custom,
  type PublicClient,
} from 'viem'
import { multicall } from 'viem/actions'
import type { Address } from '../../domain/ids.ts'
import type { Rpc } from './json-rpc.ts'

/**
 * For viem's `multicall` with `deployless`: many questions in one, all answered at the same block,
 * without a contract of ours on the chain. Over our own connections, whose errors name no URL.
 */
export const clientFor = (rpc: Rpc): PublicClient =>
  createPublicClient({
    transport: custom(
      { request: ({ method, params }) => rpc.call(method, params ?? []) },
      { retryCount: 0 },
    ),
  })

/**
 * Of calldata in one call, which is 80 questions. The answers come back in place of the code of a
 * contract, which may have 24 KiB: room for some 300 bytes each.
 */
const BATCH_BYTES = 2_880
export const AT_ONCE = { allowFailure: false, deployless: true, batchSize: BATCH_BYTES } as const
/** Asked for together, so that a node is not flooded. */
const SLICE = 1_500

export type BlockChoice =
  | { readonly blockNumber: bigint }
  | { readonly blockTag: 'latest' | 'pending' }

interface Question<Of extends Abi, Name extends ContractFunctionName<Of, 'view'>> {
  readonly address: Address
  readonly abi: Of
  readonly functionName: Name
}

/** The same question about each of `items`, which is its only argument; answers in their order. */
export async function askOfEach<
  const Of extends Abi,
  Name extends ContractFunctionName<Of, 'view'>,
>(
  client: PublicClient,
  question: Question<Of, Name>,
  items: readonly unknown[],
  block: BlockChoice,
): Promise<readonly ContractFunctionReturnType<Of, 'view', Name>[]> {
  const answers: unknown[] = []
  for (let i = 0; i < items.length; i += SLICE) {
    const contracts = items.slice(i, i + SLICE).map((item) => ({ ...question, args: [item] }))
    const asked = { ...AT_ONCE, ...block, contracts } as Parameters<typeof multicall>[1]
    answers.push(...(await multicall(client, asked)))
  }
  // As the ABI says: the library decoded them by it, and lost their type in the list.
  return answers as ContractFunctionReturnType<Of, 'view', Name>[]
}
