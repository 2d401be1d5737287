import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rComputeAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import { readContracts } from '../../../src/chain/contracts-file.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import type { Network } from '../../network/network.ts'
import { giveGas, readerOf } from './callers.ts'

interface Keys {
  readonly treasury: Hex
  readonly workers: readonly Hex[]
}
const keysOf = ({ dataDir }: Network): Keys =>
  JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8'))

/** The treasury, which holds all governance tokens, stakes for one of the network's workers. */
export const stakeFor = (network: Network, workerIndex: number): Promise<void> =>
  stakeForSigner(network, privateKeyToAccount(keysOf(network).workers[workerIndex]!).address)

/** The same for any worker that is registered: the least that counts as staked. */
export async function stakeForSigner(network: Network, signer: Hex): Promise<void> {
  const { treasury } = keysOf(network)
  const { workerStaking, rCompute } = await readContracts(join(network.dataDir, 'contracts.json'))
  const account = privateKeyToAccount(treasury)
  await giveGas(network, [toAddress(account.address)])
  const reader = readerOf(network)
  const writer = makeWriter(network.rpc_url, account)
  const staking = { address: workerStaking, abi: workerStakingAbi, chain: null } as const
  const [workerId, minimum] = await Promise.all([
    reader.readContract({ ...staking, functionName: 'workerIdOf', args: [signer] }),
    reader.readContract({ ...staking, functionName: 'MINIMUM_STAKE' }),
  ])
  const approve = { functionName: 'approve', args: [workerStaking, minimum] } as const
  const compute = { address: rCompute, abi: rComputeAbi, chain: null } as const
  const stake = { functionName: 'stake', args: [workerId, minimum] } as const
  for (const send of [
    () => writer.writeContract({ ...compute, ...approve }),
    () => writer.writeContract({ ...staking, ...stake }),
  ]) {
    await mined(reader, await send())
  }
}
