import { encodeAbiParameters, type Hex, keccak256, pad, stringToHex, toHex } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { TIER_PRICES, TIERS } from '../../domain/tiers.ts'
import type { Addresses, DeployedName } from './constructors.ts'
import { computeUnits, type Settings } from './settings.ts'

/**
 * The words that the code of each contract has to hold for its immutables, in any order. Also those
 * that no function tells, such as the domain under which signatures count.
 */
export function expectedImmutables(
  settings: Settings,
  at: Addresses,
  chainId: number,
): Readonly<Partial<Record<DeployedName, readonly Hex[]>>> {
  const { terms } = settings
  const domain = (name: string, contract: Address) => domainWords(name, chainId, contract)
  return {
    RCompute: domain('RCompute', at.rCompute),
    ComputeGovernor: [...domain('ComputeGovernor', at.governor), word(at.rCompute)],
    TimelockController: [],
    WorkerStaking: [
      ...domain('WorkerStaking', at.workerStaking),
      word(at.rCompute),
      ...[computeUnits(terms.minimumStake), terms.slashBps].map(word),
    ],
    JobEscrow: [
      ...domain('JobEscrow', at.jobEscrow),
      ...[at.usdg, at.workerStaking, settings.treasury].map(word),
      ...[terms.expirySeconds, terms.disputeSeconds, terms.arbitrationSeconds].map(word),
      ...[terms.thawSeconds, terms.settleCapPerHour, packedPrices()].map(word),
    ],
    ModelRegistry: [word(terms.noticeSeconds)],
    ...(settings.token === 'development' && {
      DevUsdg: domain('Global Dollar (development)', at.usdg),
    }),
  }
}

const word = (value: bigint | Hex): Hex =>
  typeof value === 'bigint' ? toHex(value, { size: 32 }) : pad(value, { size: 32 })

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

/** As OpenZeppelin's EIP712 keeps them. All versions are 1. */
function domainWords(name: string, chainId: number, contract: Address): readonly Hex[] {
  const [typeHash, nameHash, versionHash] = [DOMAIN_TYPE, name, '1'].map((text) =>
    keccak256(stringToHex(text)),
  ) as [Hex, Hex, Hex]
  const separator = keccak256(
    encodeAbiParameters(
      [...Array(3).fill({ type: 'bytes32' }), { type: 'uint256' }, { type: 'address' }],
      [typeHash, nameHash, versionHash, BigInt(chainId), contract],
    ),
  )
  return [
    ...[separator, word(BigInt(chainId)), word(contract), nameHash, versionHash],
    ...[shortString(name), shortString('1')],
  ]
}

/** The text from the left, its length in the last byte. */
const shortString = (text: string): Hex =>
  toHex(
    BigInt(pad(stringToHex(text), { dir: 'right', size: 32 })) + BigInt(Buffer.byteLength(text)),
    { size: 32 },
  )

/** One word for all tiers, as the contract's PriceTable packs them. */
function packedPrices(): bigint {
  return TIERS.reduce((packed, tier, number) => {
    const { perRequest, per1kTokens } = TIER_PRICES[tier]
    return packed | (((per1kTokens << 32n) | perRequest) << (64n * BigInt(number)))
  }, 0n)
}
