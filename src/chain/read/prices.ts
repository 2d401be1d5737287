import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { OperatorError } from '../../domain/operator-error.ts'
import { FLAT_OUTPUT_TOKENS, priceOf } from '../../domain/pricing.ts'
import { TIERS, type Tier, tierNumber } from '../../domain/tiers.ts'
import { ChainUnavailable, type Hex } from '../../ports/escrow.ts'
import { jobEscrowAbi } from '../abi.ts'
import { isRevert, type Rpc, RpcError } from '../rpc/json-rpc.ts'

/** Between them they tell both prices of a tier. */
const SIZES_TOKENS = [FLAT_OUTPUT_TOKENS, FLAT_OUTPUT_TOKENS + 1_000] as const

/**
 * The escrow charges by its own prices, fixed when it was made. With others here, callers would be
 * told one price and pay another, and locks would not cover what is charged.
 * @throws {OperatorError} when a price differs @throws {ChainUnavailable}
 */
export async function assertPrices(rpc: Rpc, jobEscrow: Address): Promise<void> {
  const sizes = TIERS.flatMap((tier) => SIZES_TOKENS.map((tokens) => ({ tier, tokens })))
  await Promise.all(
    sizes.map(async ({ tier, tokens }) => {
      const charged = await priceOnChain(rpc, jobEscrow, tier, tokens)
      const told = priceOf(tier, tokens)
      if (charged === told) return
      throw new OperatorError(
        `JobEscrow ${jobEscrow} charges ${charged} credits for ${tokens} output tokens of tier ` +
          `${tier}, but this version of the service tells callers ${told}; run the version whose ` +
          'prices the escrow was deployed with, or set CONTRACTS_FILE to an escrow with these prices',
      )
    }),
  )
}

/** @throws {OperatorError} where the contract at this address tells no prices @throws {ChainUnavailable} */
async function priceOnChain(
  rpc: Rpc,
  jobEscrow: Address,
  tier: Tier,
  outputTokens: number,
): Promise<bigint> {
  const read = { abi: jobEscrowAbi, functionName: 'priceOf' } as const
  const data = encodeFunctionData({ ...read, args: [tierNumber(tier), outputTokens] })
  try {
    const result = await rpc.call<Hex>('eth_call', [{ to: jobEscrow, data }, 'latest'])
    return decodeFunctionResult({ ...read, data: result })
  } catch (error) {
    if (error instanceof ChainUnavailable && !(error instanceof RpcError && isRevert(error)))
      throw error
    throw new OperatorError(
      `the contract at ${jobEscrow} is no JobEscrow of this version: it tells no prices; set ` +
        'CONTRACTS_FILE to the address file that its deployment wrote',
      { cause: error },
    )
  }
}
