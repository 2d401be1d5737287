import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  domainSeparator,
  parseAbi,
  type TypedDataDomain,
} from 'viem'
import type { Config } from 'wagmi'
import { readContract } from 'wagmi/actions'
import { devUsdgAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'

/** The token's smallest units. */
export const unitsOf = ({ web, credits }: { readonly web: WebConfig; readonly credits: number }) =>
  BigInt(credits) * BigInt(web.units_per_credit)

/**
 * What the token's signatures are for: as it says itself (ERC-5267), or, where it does not, as USDG, what its
 * separator is made of.
 * @throws where neither tells: no signature can be made for this token
 */
export async function tokenDomain(config: Config, web: WebConfig): Promise<TypedDataDomain> {
  try {
    const [, name, version, chainId, verifyingContract] = await readContract(config, {
      address: web.contracts.usdg,
      abi: devUsdgAbi,
      functionName: 'eip712Domain',
    })
    return { name, version, chainId, verifyingContract }
  } catch (error) {
    if (!isNoSuchFunction(error)) throw error
  }
  return domainOfSeparator(config, web)
}

/** A node that is silent tells nothing of the token. */
const isNoSuchFunction = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (cause) =>
      cause instanceof ContractFunctionRevertedError ||
      cause instanceof ContractFunctionZeroDataError,
  ) !== null

const SEPARATOR = parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)'])
/** Of all tokens that are known to sign; USDG has the first. */
const VERSIONS = ['1', '2']

async function domainOfSeparator(config: Config, web: WebConfig): Promise<TypedDataDomain> {
  const address = web.contracts.usdg
  const [separator, name] = await Promise.all([
    readContract(config, { address, abi: SEPARATOR, functionName: 'DOMAIN_SEPARATOR' }),
    readContract(config, { address, abi: devUsdgAbi, functionName: 'name' }),
  ])
  const domain = VERSIONS.map((version) => ({
    ...{ name, version, chainId: web.chain.id, verifyingContract: address },
  })).find((each) => domainSeparator({ domain: each }) === separator)
  if (domain) return domain
  throw new Error('The token does not tell what is to be signed for it: use “QR or transfer”.')
}
