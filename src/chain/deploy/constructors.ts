import { encodeDeployData, type Hex } from 'viem'
import { type ContractName, readArtifact } from '../../contracts/build.ts'
import type { Address } from '../../domain/ids.ts'
import { TIER_PRICES, TIERS, type Tier } from '../../domain/tiers.ts'
import {
  computeGovernorAbi,
  devUsdgAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../abi.ts'
import { computeUnits, type Settings } from './settings.ts'

/** Contracts that a transaction of the deployer makes. */
export type Made =
  | 'rCompute'
  | 'governor'
  | 'workerStaking'
  | 'usdg'
  | 'jobEscrow'
  | 'modelRegistry'
/** Where all of them are. The timelock is made by the governor. */
export type Addresses = Readonly<Record<Made | 'timelock', Address>>

/** By the names of the sources. */
export const KEY_OF = {
  RCompute: 'rCompute',
  ComputeGovernor: 'governor',
  TimelockController: 'timelock',
  WorkerStaking: 'workerStaking',
  JobEscrow: 'jobEscrow',
  ModelRegistry: 'modelRegistry',
  DevUsdg: 'usdg',
} as const satisfies Partial<Record<ContractName, keyof Addresses>>
export type DeployedName = keyof typeof KEY_OF

/** A transaction that makes a contract. */
export interface Creation {
  readonly name: string
  readonly makes: Made
  readonly data: (at: Addresses) => Hex
}

/** Who rules, where nobody else was named: the timelock. */
export const rulerOf = (asked: Address | 'timelock', at: Addresses): Address =>
  asked === 'timelock' ? at.timelock : asked

/** In an order in which each needs only those before it. */
export async function planCreations(
  settings: Settings,
  deployer: Address,
): Promise<readonly Creation[]> {
  const code = await readBytecodes()
  const { terms, treasury, token } = settings
  const compute: Creation = {
    name: 'make RCompute',
    makes: 'rCompute',
    data: () =>
      encodeDeployData({
        ...{ abi: rComputeAbi, bytecode: code.rCompute },
        args: [treasury, computeUnits(terms.computeSupply)],
      }),
  }
  const governor: Creation = {
    name: 'make ComputeGovernor and its timelock',
    makes: 'governor',
    data: ({ rCompute }) =>
      encodeDeployData({
        ...{ abi: computeGovernorAbi, bytecode: code.governor },
        args: [governorConfig(settings, rCompute)],
      }),
  }
  const staking: Creation = {
    name: 'make WorkerStaking',
    makes: 'workerStaking',
    data: ({ rCompute }) =>
      encodeDeployData({
        ...{ abi: workerStakingAbi, bytecode: code.workerStaking },
        // The escrow names its workers for good when it is made, so they are told of it afterwards.
        args: [
          {
            token: rCompute,
            admin: deployer,
            minimumStake: computeUnits(terms.minimumStake),
            slashBps: Number(terms.slashBps),
          },
        ],
      }),
  }
  const devToken: Creation = {
    name: 'make DevUsdg, worth nothing, for development only',
    makes: 'usdg',
    data: () => encodeDeployData({ abi: devUsdgAbi, bytecode: code.usdg }),
  }
  const escrow: Creation = {
    name: 'make JobEscrow',
    makes: 'jobEscrow',
    data: (at) =>
      encodeDeployData({
        ...{ abi: jobEscrowAbi, bytecode: code.jobEscrow },
        args: [escrowConfig(settings, at)],
      }),
  }
  const registry: Creation = {
    name: 'make ModelRegistry',
    makes: 'modelRegistry',
    data: (at) =>
      encodeDeployData({
        ...{ abi: modelRegistryAbi, bytecode: code.modelRegistry },
        // Governance from the first block on; the deployer may list until it has listed.
        args: [rulerOf(settings.governance, at), deployer, Number(terms.noticeSeconds)],
      }),
  }
  const payment = token === 'development' ? [devToken] : []
  return [compute, governor, staking, ...payment, escrow, registry]
}

async function readBytecodes() {
  const read = async (name: ContractName) => (await readArtifact(name)).bytecode
  return {
    rCompute: await read('RCompute'),
    governor: await read('ComputeGovernor'),
    workerStaking: await read('WorkerStaking'),
    usdg: await read('DevUsdg'),
    jobEscrow: await read('JobEscrow'),
    modelRegistry: await read('ModelRegistry'),
  }
}

function governorConfig({ terms }: Settings, token: Address) {
  return {
    token,
    votingDelaySeconds: Number(terms.votingDelaySeconds),
    votingPeriodSeconds: Number(terms.votingPeriodSeconds),
    proposalThreshold: computeUnits(terms.proposalThreshold),
    quorumPercent: terms.quorumPercent,
    timelockSeconds: terms.timelockSeconds,
  }
}

function escrowConfig(settings: Settings, at: Addresses) {
  const { terms, treasury, locker, settler, withdrawalSigner, pauser, arbiter } = settings
  return {
    token: at.usdg,
    workers: at.workerStaking,
    admin: rulerOf(settings.admin, at),
    ...{ treasury, locker, settler, withdrawalSigner, pauser, arbiter },
    expirySeconds: Number(terms.expirySeconds),
    disputeSeconds: Number(terms.disputeSeconds),
    arbitrationSeconds: Number(terms.arbitrationSeconds),
    thawSeconds: Number(terms.thawSeconds),
    settleCapMax: terms.settleCapPerHour,
    prices: tierPrices(),
  }
}

function tierPrices() {
  const price = (tier: Tier) => ({
    perRequest: Number(TIER_PRICES[tier].perRequest),
    per1kTokens: Number(TIER_PRICES[tier].per1kTokens),
  })
  // The chain numbers tiers by this order.
  const [lite, standard, pro, max] = TIERS
  return [price(lite), price(standard), price(pro), price(max)] as const
}
