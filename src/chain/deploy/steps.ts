import { encodeFunctionData, type Hex } from 'viem'
import { type Address, toAddress } from '../../domain/ids.ts'
import { LAUNCH_LINEUP } from '../../domain/models.ts'
import { tierNumber } from '../../domain/tiers.ts'
import { modelRegistryAbi, workerStakingAbi } from '../abi.ts'
import { type Addresses, type Creation, planCreations, rulerOf } from './constructors.ts'
import type { Reader } from './deployer.ts'
import { ADMIN_ROLE, roleId } from './role-ids.ts'
import type { Settings } from './settings.ts'

/** A transaction to one of the contracts. */
export interface Call {
  readonly name: string
  readonly makes?: undefined
  readonly to: (at: Addresses) => Address
  readonly data: (at: Addresses) => Hex
  /** By the chain alone. */
  readonly isDone: (reader: Reader, at: Addresses) => Promise<boolean>
}

/** One transaction of a deployment, known by its name. */
export type Step = Creation | Call

/**
 * All that a deployment sends, in order: each step needs only what those before it have made. The
 * deployer holds a role where the set-up needs it, and gives it back in the last steps.
 */
export async function planSteps(settings: Settings, deployer: Address): Promise<readonly Step[]> {
  return [
    ...(await planCreations(settings, deployer)),
    setEscrow,
    ...LAUNCH_LINEUP.map(listModel),
    ...handOver(settings, deployer),
  ]
}

const setEscrow: Call = {
  name: 'WorkerStaking: the escrow is named',
  to: ({ workerStaking }) => workerStaking,
  data: ({ jobEscrow }) =>
    encodeFunctionData({ abi: workerStakingAbi, functionName: 'setEscrow', args: [jobEscrow] }),
  isDone: async (reader, { workerStaking, jobEscrow }) => {
    const read = { address: workerStaking, abi: workerStakingAbi, functionName: 'escrow' } as const
    return toAddress(await reader.readContract(read)) === jobEscrow
  },
}

function listModel({
  id,
  parameters,
  publisher,
  contextWindow,
  tier,
}: (typeof LAUNCH_LINEUP)[number]) {
  const spec = { id, parameters, publisher, contextWindow, tier: tierNumber(tier) }
  const step: Call = {
    name: `ModelRegistry: ${id} is listed`,
    to: ({ modelRegistry }) => modelRegistry,
    data: () => encodeFunctionData({ abi: modelRegistryAbi, functionName: 'list', args: [spec] }),
    isDone: async (reader, { modelRegistry }) => {
      const registry = { address: modelRegistry, abi: modelRegistryAbi } as const
      const read = { ...registry, functionName: 'statusOf', args: [id] } as const
      return (await reader.readContract(read)) !== UNKNOWN
    },
  }
  return step
}

/** Number of the status of a model that was never listed. */
const UNKNOWN = 0

/** Whoever deployed has no power over what was deployed. */
function handOver({ governance }: Settings, deployer: Address): readonly Call[] {
  const workers = ({ workerStaking }: Addresses) => workerStaking
  const models = ({ modelRegistry }: Addresses) => modelRegistry

  const giveWorkers: Call = {
    name: 'WorkerStaking: governance becomes the admin',
    to: workers,
    data: (at) => roleCall('grantRole', ADMIN_ROLE, rulerOf(governance, at)),
    isDone: (reader, at) => holds(reader, workers(at), ADMIN_ROLE, rulerOf(governance, at)),
  }
  const leave = (name: string, to: Call['to'], role: Hex): Call => ({
    name,
    to,
    data: () => roleCall('renounceRole', role, deployer),
    isDone: async (reader, at) => !(await holds(reader, to(at), role, deployer)),
  })
  const leaveWorkers = leave('WorkerStaking: the deployer is no admin', workers, ADMIN_ROLE)
  const leaveModels = leave('ModelRegistry: the deployer is no lister', models, roleId('LISTER'))
  return governance === deployer ? [leaveModels] : [giveWorkers, leaveWorkers, leaveModels]
}

// Every contract here speaks of roles as WorkerStaking does.
const roleCall = (functionName: 'grantRole' | 'renounceRole', role: Hex, holder: Address): Hex =>
  encodeFunctionData({ abi: workerStakingAbi, functionName, args: [role, holder] })

const holds = (reader: Reader, address: Address, role: Hex, holder: Address): Promise<boolean> =>
  reader.readContract({
    ...{ address, abi: workerStakingAbi, functionName: 'hasRole', args: [role, holder] },
  })
