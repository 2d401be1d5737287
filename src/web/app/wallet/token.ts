import type { TypedDataDomain } from 'viem'
import type { Config } from 'wagmi'
import { readContract } from 'wagmi/actions'
import { devUsdgAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'

/** The token's smallest units. */
export const unitsOf = ({ web, credits }: { readonly web: WebConfig; readonly credits: number }) =>
  BigInt(credits) * BigInt(web.units_per_credit)

/** What the token says of itself (ERC-5267). */
export async function tokenDomain(
  config: Config,
  { contracts }: WebConfig,
): Promise<TypedDataDomain> {
  const [, name, version, chainId, verifyingContract] = await readContract(config, {
    address: contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'eip712Domain',
  })
  return { name, version, chainId, verifyingContract }
}
