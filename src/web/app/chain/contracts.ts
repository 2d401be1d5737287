import { type Abi, type Address, erc20Abi, parseAbi } from 'viem'
import {
  computeGovernorAbi,
  devUsdgAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'

/** A contract of this service, for people. */
export interface Contract {
  readonly name: string
  readonly address: Address
  readonly abi: Abi
  readonly about: string
}

/** What the governor's own timelock says of itself. */
const timelockAbi = parseAbi([
  'event CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)',
  'event CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)',
  'event CallSalt(bytes32 indexed id, bytes32 salt)',
  'event Cancelled(bytes32 indexed id)',
  'event MinDelayChange(uint256 oldDuration, uint256 newDuration)',
])

export function contractsOf({ contracts: at }: WebConfig): readonly Contract[] {
  return [
    {
      ...{ name: 'JobEscrow', address: at.job_escrow, abi: jobEscrowAbi },
      about: 'Holds every wallet’s credits, locks them for jobs and pays workers.',
    },
    {
      ...{ name: 'WorkerStaking', address: at.worker_staking, abi: workerStakingAbi },
      about: 'Knows the workers, where they are paid, and what they have at stake.',
    },
    {
      ...{ name: 'ModelRegistry', address: at.model_registry, abi: modelRegistryAbi },
      about: 'Lists the models that jobs may ask for.',
    },
    {
      ...{ name: 'ComputeGovernor', address: at.governor, abi: computeGovernorAbi },
      about: 'Takes proposals and counts the votes of RCOMPUTE.',
    },
    {
      ...{ name: 'Timelock', address: at.timelock, abi: timelockAbi },
      about: 'Carries out what was voted, after its waiting time.',
    },
    {
      ...{ name: 'RCOMPUTE', address: at.r_compute, abi: rComputeAbi },
      about: 'The governance token, which workers stake.',
    },
    {
      // A real payment token need not be ours: what every token has comes first.
      ...{ name: 'USDG', address: at.usdg, abi: [...erc20Abi, ...others(devUsdgAbi)] },
      about: 'The payment token. One credit is 0.01 USDG.',
    },
  ]
}

const ERC20_NAMES = new Set<string>(erc20Abi.map(({ name }) => name))
const others = (abi: Abi): Abi =>
  abi.filter((item) => !('name' in item && ERC20_NAMES.has(item.name ?? '')))

export const contractAt = (web: WebConfig, address: string): Contract | undefined =>
  contractsOf(web).find((each) => each.address.toLowerCase() === address.toLowerCase())
