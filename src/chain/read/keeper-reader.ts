import {
  decodeFunctionResult,
  encodeFunctionData,
  numberToHex,
  prepareEncodeFunctionData,
  type RpcBlock,
  type RpcLog,
  toEventSelector,
} from 'viem'
import { type TokenUnits, toCredits } from '../../domain/credits.ts'
import {
  type Address,
  type Hex32,
  type JobId,
  jobIdToBytes32,
  toAddress,
  toHex32,
} from '../../domain/ids.ts'
import type { ChainFact, Hex } from '../../ports/escrow.ts'
import type {
  Earner,
  Earnings,
  KeeperBlock,
  KeeperEvent,
  KeeperReader,
  KeeperTerms,
} from '../../ports/keeper.ts'
import type { Log } from '../../telemetry/log.ts'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import { depositAddressOf } from '../deposit-address.ts'
import { headOf } from '../rpc/head.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { readLogs } from '../rpc/log-ranges.ts'
import { blockOf, readNewLogs } from '../rpc/new-logs.ts'
import { askOfNextBlock } from '../rpc/next-block.ts'
import { decodeFacts, jobTopic, TOPICS } from './facts.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly log: Log
}

export function makeKeeperReader(options: Options): KeeperReader {
  const { rpc, contracts } = options
  return {
    terms: () => readTerms(options),
    head: async () => toBlock(await headOf(rpc)),
    block: async (number) => {
      const block = await blockOf(rpc, number)
      return block ? toBlock(block) : undefined
    },
    events: (from, to, after) => readEvents(options, { from, to, after }),
    lockedBy: (jobId, block) => readLockedBy(options, jobId, block),
    arrivals: (from, to, addresses) => readArrivals(options, { from, to }, addresses),
    checkDepositAddresses: () => checkDepositAddresses(options),
    depositAddress: (wallet) => depositAddressOf(contracts.jobEscrow, wallet),
    tokensOf: (address) => readUnits(rpc, contracts.usdg, balanceOf(address), 'latest'),
    earningsOf: (earner) => readEarnings(options, earner),
    stakeOf: (workerId, block) => readStake(options, workerId, block),
    isPunished: (workerId, jobId, block) => readPunished(options, workerId, jobId, block),
  }
}

const toBlock = (block: RpcBlock): KeeperBlock => ({
  number: Number(block.number),
  hash: toHex32(block.hash ?? ''),
  parentHash: toHex32(block.parentHash),
  at: Number(block.timestamp),
})

/* TERMS */

async function readTerms({ rpc, contracts: { jobEscrow } }: Options): Promise<KeeperTerms> {
  const read = async (functionName: Constant) => {
    const data = encodeFunctionData({ abi: jobEscrowAbi, functionName })
    return ask(rpc, jobEscrow, data, 'pending').then(BigInt)
  }
  const [expiry, dispute, arbitration, minimumCredits] = await Promise.all([
    read('EXPIRY_SECONDS'),
    read('DISPUTE_SECONDS'),
    read('ARBITRATION_SECONDS'),
    read('MINIMUM_DEPOSIT_CREDITS'),
  ])
  return {
    expirySeconds: Number(expiry),
    disputeSeconds: Number(dispute),
    arbitrationSeconds: Number(arbitration),
    minimumCredits: toCredits(minimumCredits),
  }
}
type Constant =
  | 'EXPIRY_SECONDS'
  | 'DISPUTE_SECONDS'
  | 'ARBITRATION_SECONDS'
  | 'MINIMUM_DEPOSIT_CREDITS'

/** Money sent to an address that the escrow does not know would be lost. */
async function checkDepositAddresses({ rpc, contracts: { jobEscrow } }: Options): Promise<void> {
  // Any wallet will do.
  const args = [jobEscrow] as const
  const data = encodeFunctionData({ abi: jobEscrowAbi, functionName: 'depositAddress', args })
  const answer = await ask(rpc, jobEscrow, data, 'pending')
  if (toAddress(`0x${answer.slice(26)}`) === depositAddressOf(jobEscrow, jobEscrow)) return
  throw new Error(
    `the escrow at ${jobEscrow} makes other deposit addresses than this version of the service ` +
      'expects; run the version that it belongs to',
  )
}

/* LOGS */

const EVENT_TOPICS = [
  TOPICS.locked,
  TOPICS.settled,
  TOPICS.refunded,
  TOPICS.disputed,
  TOPICS.disputeResolved,
]

async function readEvents(
  { rpc, contracts, log }: Options,
  { from, to, after }: { from: number; to: KeeperBlock; after: Hex32 | undefined },
): Promise<readonly KeeperEvent[]> {
  const filter = { address: contracts.jobEscrow, topics: [EVENT_TOPICS] }
  const ends = { after, end: to.hash }
  const logs = await readNewLogs(rpc, { from, to: to.number, filter, ends })
  return logs.flatMap((raw) => {
    const [fact] = decodeFacts([raw], contracts, log)
    // Older nodes do not put the time into the log: the end of the range is late, and never early.
    const at = raw.blockTimestamp ? Number(raw.blockTimestamp) : to.at
    return fact ? (toEvent(fact, raw, at) ?? []) : []
  })
}

function toEvent(fact: ChainFact, raw: RpcLog, at: number): KeeperEvent | undefined {
  const { block } = fact
  switch (fact.type) {
    case 'locked':
    case 'refunded':
    case 'disputed':
      return { type: fact.type, jobId: fact.jobId, block, at }
    case 'settled':
    case 'dispute_resolved':
      // Both name the job, the wallet and the worker, in this order.
      return { type: fact.type, jobId: fact.jobId, workerId: Number(raw.topics[3]), block, at }
    default:
      return undefined
  }
}

async function readLockedBy({ rpc, contracts }: Options, jobId: JobId, block: number) {
  const filter = { address: contracts.jobEscrow, topics: [TOPICS.locked, jobTopic(jobId)] }
  const [locked] = await readLogs(rpc, filter, block, block)
  return locked?.transactionHash ? toHex32(locked.transactionHash) : undefined
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
/** Nodes take no longer lists. With more addresses all transfers are read, and looked through here. */
const TOPICS_MAX = 1_000

async function readArrivals(
  { rpc, contracts }: Options,
  { from, to }: { readonly from: number; readonly to: number },
  addresses: ReadonlySet<Address>,
): Promise<readonly Address[]> {
  if (addresses.size === 0) return []
  const receivers = addresses.size > TOPICS_MAX ? null : [...addresses].map(addressTopic)
  const filter = { address: contracts.usdg, topics: [TRANSFER, null, receivers] }
  const logs = await readLogs(rpc, filter, from, to)
  const receivedBy = logs.map(({ topics }) => toAddress(`0x${(topics[2] ?? '').slice(26)}`))
  return [...new Set(receivedBy)].filter((address) => addresses.has(address))
}

const addressTopic = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`

/* MONEY */

/** Asked of every deposit address: its selector is hashed once. */
const BALANCE_OF = prepareEncodeFunctionData({ abi: devUsdgAbi, functionName: 'balanceOf' })
const balanceOf = (address: Address): Hex => encodeFunctionData({ ...BALANCE_OF, args: [address] })

async function readEarnings({ rpc, contracts }: Options, earner: Earner): Promise<Earnings> {
  const [total, claimable] = await Promise.all(
    // What is due depends on the time, and an idle chain's last block may be long ago.
    earningsCalls(earner).map((data) => readUnits(rpc, contracts.jobEscrow, data, 'pending')),
  )
  return { total: total!, claimable: claimable! }
}

function earningsCalls(earner: Earner): readonly Hex[] {
  if (earner === 'treasury') {
    return [
      encodeFunctionData({ abi: jobEscrowAbi, functionName: 'treasuryUnits' }),
      encodeFunctionData({ abi: jobEscrowAbi, functionName: 'claimableTreasury' }),
    ]
  }
  const args = [earner] as const
  return [
    encodeFunctionData({ abi: jobEscrowAbi, functionName: 'earnings', args }),
    encodeFunctionData({ abi: jobEscrowAbi, functionName: 'claimableEarnings', args }),
  ]
}

async function readStake(
  { rpc, contracts }: Options,
  workerId: number,
  block: number | undefined,
): Promise<bigint> {
  const about = { abi: workerStakingAbi, functionName: 'workers' } as const
  const call = encodeFunctionData({ ...about, args: [workerId] })
  const tag = block === undefined ? 'latest' : numberToHex(block)
  const data = await ask(rpc, contracts.workerStaking, call, tag)
  const { active, unbonding } = decodeFunctionResult({ ...about, data })
  return active + unbonding
}

async function readPunished(
  { rpc, contracts }: Options,
  workerId: number,
  jobId: JobId,
  block: number,
): Promise<boolean> {
  const about = { abi: workerStakingAbi, functionName: 'punished' } as const
  const call = encodeFunctionData({ ...about, args: [workerId, jobIdToBytes32(jobId)] })
  return BigInt(await ask(rpc, contracts.workerStaking, call, numberToHex(block))) === 1n
}

type Tag = 'latest' | 'pending' | Hex

const readUnits = async (rpc: Rpc, to: Address, data: Hex, tag: Tag): Promise<TokenUnits> =>
  BigInt(await ask(rpc, to, data, tag)) as TokenUnits

const ask = (rpc: Rpc, to: Address, data: Hex, tag: Tag): Promise<Hex> =>
  tag === 'pending'
    ? askOfNextBlock<Hex>(rpc, 'eth_call', [{ to, data }])
    : rpc.call<Hex>('eth_call', [{ to, data }, tag])
