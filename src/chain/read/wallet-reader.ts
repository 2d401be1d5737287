import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { toCredits } from '../../domain/credits.ts'
import { type Address, type JobId, jobIdToBytes32 } from '../../domain/ids.ts'
import { toUnixMs } from '../../domain/time.ts'
import type { Hex } from '../../ports/escrow.ts'
import type { WalletReader } from '../../ports/web-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import { JOB_STATUSES, jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { makeKeeperReader } from './keeper-reader.ts'
import { makeMovementReader } from './movements.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly log: Log
}

export function makeWalletReader(options: Options): WalletReader {
  const { rpc, contracts } = options
  const keeper = makeKeeperReader(options)
  const ask = (data: Hex) =>
    rpc.call<Hex>('eth_call', [{ to: contracts.jobEscrow, data }, 'latest'])
  return {
    thawing: async (wallet) => {
      const [account, endsAt] = await Promise.all([
        ask(walletCall('accounts', wallet)),
        ask(walletCall('thawEndsAt', wallet)).then(Number),
      ])
      const about = { abi: jobEscrowAbi, functionName: 'accounts' } as const
      const [, , thawing] = decodeFunctionResult({ ...about, data: account })
      return { credits: toCredits(thawing), endsAt: endsAt === 0 ? null : toUnixMs(endsAt * 1_000) }
    },
    movements: makeMovementReader(options),
    depositAddress: keeper.depositAddress,
    tokensOf: keeper.tokensOf,
    head: async () => Number(await rpc.call<Hex>('eth_blockNumber', [])),
    arrivals: keeper.arrivals,
    disputedAt: async (jobId) => {
      const about = { abi: jobEscrowAbi, functionName: 'jobs' } as const
      const data = await ask(jobCall(jobId))
      const { status, since } = decodeFunctionResult({ ...about, data })
      return JOB_STATUSES[status] === 'Disputed' ? toUnixMs(since * 1_000) : null
    },
  }
}

const walletCall = (functionName: 'accounts' | 'thawEndsAt', wallet: Address): Hex =>
  encodeFunctionData({ abi: jobEscrowAbi, functionName, args: [wallet] })

const jobCall = (jobId: JobId): Hex =>
  encodeFunctionData({ abi: jobEscrowAbi, functionName: 'jobs', args: [jobIdToBytes32(jobId)] })
