import { encodeEventTopics } from 'viem'
import { multicall } from 'viem/actions'
import type { TokenUnits } from '../domain/credits.ts'
import { type Address, toAddress } from '../domain/ids.ts'
import { toUnixMs } from '../domain/time.ts'
import { ChainUnavailable } from '../ports/escrow.ts'
import type { ChainWorker } from '../ports/network-chain.ts'
import { jobEscrowAbi, workerStakingAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import type { Rpc } from './json-rpc.ts'
import { readLogs } from './keeper-reader.ts'
import { AT_ONCE, clientFor } from './many-calls.ts'
import { readWorkerId } from './worker-reader.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
}

/** See NetworkReader.worker. */
export function makeWorkerAccountReader(options: Options) {
  const { rpc, contracts } = options
  const client = clientFor(rpc)
  const staking = { address: contracts.workerStaking, abi: workerStakingAbi } as const
  const escrow = { address: contracts.jobEscrow, abi: jobEscrowAbi } as const

  return async (signer: Address): Promise<ChainWorker | undefined> => {
    const workerId =
      (await readWorkerId(rpc, contracts, signer)) ?? (await formerWorkerId(options, signer))
    if (workerId === undefined) return undefined
    const args = [workerId] as const
    const [worker, earnings, claimable, minimumStake] = await multicall(client, {
      ...AT_ONCE,
      // What is due depends on the time, and an idle chain's last block may be long ago.
      blockTag: 'pending',
      contracts: [
        { ...staking, functionName: 'workers', args },
        { ...escrow, functionName: 'earnings', args },
        { ...escrow, functionName: 'claimableEarnings', args },
        { ...staking, functionName: 'MINIMUM_STAKE' },
      ],
    }).catch((error: unknown) => {
      throw new ChainUnavailable(`worker ${workerId} cannot be read`, { cause: error })
    })
    return {
      ...{ signer, workerId, payee: toAddress(worker.payee), deactivated: worker.deactivated },
      ...{ stake: worker.active, minimumStake, unbonding: worker.unbonding },
      withdrawableAt: toUnixMs(worker.withdrawableAt * 1_000),
      earnings: earnings as TokenUnits,
      claimable: claimable as TokenUnits,
    }
  }
}

/** Whoever has left keeps its number, and what it is owed; only the logs still know which it was. */
async function formerWorkerId(
  { rpc, contracts }: Options,
  signer: Address,
): Promise<number | undefined> {
  const { workerStaking, deployBlock } = contracts
  const topics = encodeEventTopics({
    abi: workerStakingAbi,
    eventName: 'WorkerRegistered',
    args: { signer },
  })
  const head = Number(await rpc.call<string>('eth_blockNumber', []))
  const [log] = await readLogs(rpc, { address: workerStaking, topics }, deployBlock, head)
  return log ? Number(log.topics[1]) : undefined
}
