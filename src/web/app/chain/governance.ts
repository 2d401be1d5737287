import { type Address, parseAbi, zeroHash } from 'viem'
import {
  computeGovernorAbi,
  type ModelStatusName,
  modelRegistryAbi,
  rComputeAbi,
} from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { readClock } from './clock.ts'
import { readerOf } from './reader.ts'

const timelockAbi = parseAbi(['function getMinDelay() view returns (uint256)'])
const governor = ({ contracts }: WebConfig) =>
  ({ address: contracts.governor, abi: computeGovernorAbi }) as const
const token = ({ contracts }: WebConfig) =>
  ({ address: contracts.r_compute, abi: rComputeAbi }) as const
const registry = ({ contracts }: WebConfig) =>
  ({ address: contracts.model_registry, abi: modelRegistryAbi }) as const

/** Times in seconds, votes in units of RCOMPUTE. */
export interface GovernanceRules {
  readonly votingDelay: number
  readonly votingPeriod: number
  readonly timelock: number
  readonly notice: number
  readonly threshold: bigint
  readonly quorumPercent: number
  /** False: the deployment named somebody else to rule models, and no vote on them can be carried out. */
  readonly votesRuleModels: boolean
}

export async function readRules(web: WebConfig): Promise<GovernanceRules> {
  const client = readerOf(web)
  const quorum = { ...governor(web), functionName: 'quorumNumerator' } as const
  const admin = { functionName: 'hasRole', args: [zeroHash, web.contracts.timelock] } as const
  const [delay, period, threshold, numerator, denominator, timelock, notice, byVotes] =
    await Promise.all([
      client.readContract({ ...governor(web), functionName: 'votingDelay' }),
      client.readContract({ ...governor(web), functionName: 'votingPeriod' }),
      client.readContract({ ...governor(web), functionName: 'proposalThreshold' }),
      client.readContract({ ...quorum, args: [] }),
      client.readContract({ ...governor(web), functionName: 'quorumDenominator' }),
      client.readContract({
        ...{ address: web.contracts.timelock, abi: timelockAbi, functionName: 'getMinDelay' },
      }),
      client.readContract({ ...registry(web), functionName: 'NOTICE_SECONDS' }),
      client.readContract({ ...registry(web), ...admin }),
    ])
  return {
    ...{ votingDelay: Number(delay), votingPeriod: Number(period), threshold },
    ...{ timelock: Number(timelock), notice: Number(notice) },
    quorumPercent: Number((numerator * 10_000n) / denominator) / 100,
    votesRuleModels: byVotes,
  }
}

export interface Voter {
  readonly balance: bigint
  /** Which count from a proposal on that is made now. */
  readonly votes: bigint
  /** Null: nobody, and the balance does not vote. */
  readonly delegate: Address | null
}

const NOBODY = /^0x0{40}$/

export async function readVoter(web: WebConfig, wallet: Address): Promise<Voter> {
  const client = readerOf(web)
  const about = { ...token(web), args: [wallet] } as const
  const [balance, votes, delegate] = await Promise.all([
    client.readContract({ ...about, functionName: 'balanceOf' }),
    client.readContract({ ...about, functionName: 'getVotes' }),
    client.readContract({ ...about, functionName: 'delegates' }),
  ])
  return {
    ...{ balance, votes },
    delegate: NOBODY.test(delegate) ? null : (delegate.toLowerCase() as Address),
  }
}

export interface Ballot {
  /** That counted when the vote began. */
  readonly votes: bigint
  readonly hasVoted: boolean
}

/** @param snapshot block time that the chain has passed, in seconds */
export async function readBallot(
  web: WebConfig,
  wallet: Address,
  { id, snapshot }: { readonly id: bigint; readonly snapshot: bigint },
): Promise<Ballot> {
  const client = readerOf(web)
  const past = { ...token(web), args: [wallet, snapshot] } as const
  const [votes, hasVoted] = await Promise.all([
    client.readContract({ ...past, functionName: 'getPastVotes' }),
    client.readContract({ ...governor(web), functionName: 'hasVoted', args: [id, wallet] }),
  ])
  return { votes, hasVoted }
}

export interface ListedModel {
  readonly id: string
  readonly status: ModelStatusName
  readonly retiresAt: string | null
}

export async function readModels(web: WebConfig): Promise<readonly ListedModel[]> {
  const client = readerOf(web)
  const count = await client.readContract({ ...registry(web), functionName: 'modelCount' })
  const [models, clock] = await Promise.all([
    client.readContract({ ...registry(web), functionName: 'models', args: [0n, count] }),
    readClock(web),
  ])
  return models.map(({ spec, retiresAt }) => ({
    id: spec.id,
    status: statusOf(retiresAt, clock.seconds),
    retiresAt: retiresAt === 0 ? null : clock.isoAt(retiresAt),
  }))
}

/** As the registry has it. */
function statusOf(retiresAt: number, now: number): ModelStatusName {
  if (retiresAt === 0) return 'Listed'
  return now < retiresAt ? 'Retiring' : 'Retired'
}
