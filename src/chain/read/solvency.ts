import { encodeEventTopics, type PublicClient } from 'viem'
import { multicall } from 'viem/actions'
import { type TokenUnits, toCredits } from '../../domain/credits.ts'
import { type Address, toAddress } from '../../domain/ids.ts'
import { ChainUnavailable } from '../../ports/escrow.ts'
import type { ChainSolvency } from '../../ports/network-chain.ts'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { makeLogTail } from '../rpc/log-tail.ts'
import { AT_ONCE, askOfEach, clientFor } from '../rpc/many-calls.ts'
import { hasForgotten } from '../rpc/moving-head.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
}

const TRIES = 10

const [DEPOSITED] = encodeEventTopics({ abi: jobEscrowAbi, eventName: 'Deposited' })

/**
 * Asks the contract for every account that ever got credits and for every worker, all at one block.
 * Nothing is taken over from us: what is summed is what the contract says.
 */
export function makeSolvencyReader({ rpc, contracts }: Options) {
  const client = clientFor(rpc)
  const filter = { address: contracts.jobEscrow, topics: [DEPOSITED] }
  const deposits = makeLogTail({ rpc, contracts, filter })
  const wallets = new Set<Address>()

  return async (): Promise<ChainSolvency> => {
    for (let tries = 1; ; tries++) {
      const block = Number(await rpc.call<string>('eth_blockNumber', []))
      await deposits(block, (logs) => {
        for (const { topics } of logs) wallets.add(toAddress(`0x${topics[1]?.slice(26)}`))
      })
      try {
        return await readAt({ client, contracts }, [...wallets], block)
      } catch (error) {
        // A local node that keeps no history: a block came in between.
        if (tries < TRIES && hasForgotten(error)) continue
        throw new ChainUnavailable('the books of the escrow cannot be read', { cause: error })
      }
    }
  }
}

interface Reading {
  readonly client: PublicClient
  readonly contracts: Contracts
}

async function readAt(
  reading: Reading,
  wallets: readonly Address[],
  block: number,
): Promise<ChainSolvency> {
  const { client, contracts } = reading
  const escrow = { address: contracts.jobEscrow, abi: jobEscrowAbi } as const
  const at = { blockNumber: BigInt(block) }
  const [held, treasury, disputed, workers] = await multicall(client, {
    ...AT_ONCE,
    ...at,
    contracts: [
      {
        address: contracts.usdg,
        abi: devUsdgAbi,
        functionName: 'balanceOf',
        args: [escrow.address],
      },
      { ...escrow, functionName: 'treasuryUnits' },
      { ...escrow, functionName: 'disputedUnits' },
      { address: contracts.workerStaking, abi: workerStakingAbi, functionName: 'workerCount' },
    ],
  })
  const inAccounts = { ...escrow, functionName: 'accounts' } as const
  const accounts = await askOfEach(client, inAccounts, wallets, at)
  // Ids begin at 1, without gaps.
  const workerIds = Array.from({ length: workers }, (_, i) => i + 1)
  const earned = { ...escrow, functionName: 'earnings' } as const
  const earnings = await askOfEach(client, earned, workerIds, at)
  return {
    block,
    accounts: toCredits(sum(accounts.map(([available, , thawing]) => available + thawing))),
    locks: toCredits(sum(accounts.map(([, locked]) => locked))),
    earnings: sum(earnings) as TokenUnits,
    treasury: treasury as TokenUnits,
    disputed: disputed as TokenUnits,
    held: held as TokenUnits,
  }
}

const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n)
