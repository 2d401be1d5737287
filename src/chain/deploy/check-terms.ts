import { type Abi, parseAbi } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { LAUNCH_LINEUP } from '../../domain/models.ts'
import { TIER_PRICES, TIERS, tierNumber } from '../../domain/tiers.ts'
import {
  computeGovernorAbi,
  devUsdgAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../abi.ts'
import type { Reader } from './deployer.ts'
import { compared, type Deployed, type Finding } from './finding.ts'
import { computeUnits } from './settings.ts'

/** Compares what the contracts say of themselves with what was asked for. */
export async function checkTerms({ reader, at, settings }: Deployed): Promise<Finding[]> {
  const { terms } = settings
  const findings: Finding[] = []
  const ask = async (contract: string, address: Address, abi: Abi, asked: object) => {
    for (const [functionName, wanted] of Object.entries(asked)) {
      const found = await reader.readContract({ address, abi, functionName })
      findings.push(compared(`${contract}.${functionName}`, wanted, found))
    }
  }
  await ask('JobEscrow', at.jobEscrow, jobEscrowAbi, {
    ...{ TOKEN: at.usdg, WORKERS: at.workerStaking, TREASURY: settings.treasury },
    EXPIRY_SECONDS: terms.expirySeconds,
    DISPUTE_SECONDS: terms.disputeSeconds,
    ARBITRATION_SECONDS: terms.arbitrationSeconds,
    THAW_SECONDS: terms.thawSeconds,
    SETTLE_CAP_MAX: terms.settleCapPerHour,
  })
  await ask('WorkerStaking', at.workerStaking, workerStakingAbi, {
    ...{ TOKEN: at.rCompute, escrow: at.jobEscrow, SLASH_BPS: terms.slashBps },
    MINIMUM_STAKE: computeUnits(terms.minimumStake),
  })
  await ask('ModelRegistry', at.modelRegistry, modelRegistryAbi, {
    NOTICE_SECONDS: terms.noticeSeconds,
  })
  await ask('ComputeGovernor', at.governor, computeGovernorAbi, {
    ...{ token: at.rCompute, timelock: at.timelock },
    votingDelay: terms.votingDelaySeconds,
    votingPeriod: terms.votingPeriodSeconds,
    proposalThreshold: computeUnits(terms.proposalThreshold),
  })
  const timelockAbi = parseAbi(['function getMinDelay() view returns (uint256)'])
  await ask('Timelock', at.timelock, timelockAbi, { getMinDelay: terms.timelockSeconds })
  await ask('token', at.usdg, devUsdgAbi, { decimals: 6 })
  return [
    ...findings,
    await checkCap(reader, at.jobEscrow, terms.settleCapPerHour),
    await checkQuorum(reader, at.governor, terms.quorumPercent),
    await checkSupply(reader, at.rCompute, computeUnits(terms.computeSupply)),
    ...(await checkPrices(reader, at.jobEscrow)),
  ]
}

/** The admin may lower it, and is to see what it is now: settlements above it wait. */
async function checkCap(reader: Reader, address: Address, asked: bigint): Promise<Finding> {
  const escrow = { address, abi: jobEscrowAbi, functionName: 'settleCap' } as const
  const [found] = await reader.readContract(escrow)
  const what = 'JobEscrow.settleCap, credits an hour, at most'
  return { what, asked: `${asked}`, found: `${found}`, holds: found <= asked }
}

async function checkQuorum(reader: Reader, address: Address, percent: bigint): Promise<Finding> {
  const governor = { address, abi: computeGovernorAbi, functionName: 'quorumNumerator' } as const
  return compared('ComputeGovernor.quorumNumerator', percent, await reader.readContract(governor))
}

/** It can be burnt, and never grows. */
async function checkSupply(reader: Reader, address: Address, asked: bigint): Promise<Finding> {
  const token = { address, abi: rComputeAbi, functionName: 'totalSupply' } as const
  const found = await reader.readContract(token)
  const what = 'RCompute.totalSupply, at most'
  return { what, asked: `${asked}`, found: `${found}`, holds: found <= asked }
}

async function checkPrices(reader: Reader, address: Address): Promise<Finding[]> {
  const escrow = { address, abi: jobEscrowAbi, functionName: 'priceOf' } as const
  const priceOf = (tier: number, tokens: number) =>
    reader.readContract({ ...escrow, args: [tier, tokens] })
  return Promise.all(
    TIERS.map(async (tier) => {
      const { perRequest, per1kTokens } = TIER_PRICES[tier]
      const [flat, above] = [
        await priceOf(tierNumber(tier), 500),
        await priceOf(tierNumber(tier), 1_500),
      ]
      const asked = `${perRequest} credits + ${per1kTokens} per 1k tokens`
      const found = `${flat} credits + ${above - flat} per 1k tokens`
      return compared(`JobEscrow: price of ${tier}`, asked, found)
    }),
  )
}

/** A model that a vote has retired was listed, too. */
export async function checkModels({ reader, at }: Deployed): Promise<Finding[]> {
  const registry = { address: at.modelRegistry, abi: modelRegistryAbi } as const
  return Promise.all(
    LAUNCH_LINEUP.map(async ({ id, parameters, publisher, contextWindow, tier }) => {
      const read = { ...registry, functionName: 'model', args: [id] } as const
      const { spec, listedAt } = await reader.readContract(read)
      const inWords = (one: Omit<typeof spec, 'id'>) =>
        `tier ${one.tier}, ${one.parameters}, ${one.contextWindow} tokens, ${one.publisher}`
      const asked = inWords({ parameters, publisher, contextWindow, tier: tierNumber(tier) })
      const found = listedAt === 0 ? 'not listed' : inWords(spec)
      return compared(`ModelRegistry: ${id}`, asked, found)
    }),
  )
}
