import { numberToHex, type RpcBlock, type RpcLog } from 'viem'
import { type JobId, toHex32 } from '../domain/ids.ts'
import {
  type Block,
  type ChainFact,
  ChainUnavailable,
  type EscrowReader,
  type Hex,
} from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import { readAccount } from './account.ts'
import type { BlockWatch } from './block-watch.ts'
import type { Contracts } from './contracts-file.ts'
import { decodeFacts, TOPICS } from './facts.ts'
import { jobFilter, readJobLogs } from './job-logs.ts'
import type { Rpc } from './json-rpc.ts'
import { readLogs } from './log-ranges.ts'
import { readDeactivated, readRegistrationError, readWorkerId } from './worker-reader.ts'

interface Options {
  readonly rpc: Rpc
  readonly blocks: BlockWatch
  readonly contracts: Contracts
  readonly log: Log
}

/** Reads JobEscrow and WorkerStaking. */
export function makeReader(options: Options): EscrowReader {
  const { rpc, blocks, contracts } = options
  return {
    head: async () => toBlock(await rpc.call<RpcBlock>('eth_getBlockByNumber', ['latest', false])),
    block: async (number) => {
      const block = await blockOf(rpc, number)
      return block ? toBlock(block) : undefined
    },
    facts: (from, to) => readNewFacts(options, from, to),
    account: (wallet) => readAccount(options, wallet, readFacts),
    jobFacts: (jobId) => readJobFacts(options, jobId),
    jobFactsAt: (block, jobId) => readJobFactsAt(options, block, jobId),
    workerId: (signer) => readWorkerId(rpc, contracts, signer),
    registrationError: (wish) => readRegistrationError(rpc, contracts, wish),
    deactivated: (from, to) => readDeactivated(rpc, contracts, from, to),
    onBlock: blocks.onBlock,
  }
}

const blockOf = (rpc: Rpc, number: number) =>
  rpc.call<RpcBlock | null>('eth_getBlockByNumber', [numberToHex(number), false])

const toBlock = (block: RpcBlock): Block => ({
  number: Number(block.number),
  hash: toHex32(block.hash ?? ''),
  parentHash: toHex32(block.parentHash),
})

async function readFacts(
  { rpc, contracts, log }: Options,
  from: number,
  to: number,
): Promise<readonly ChainFact[]> {
  const logs = await readLogs(rpc, filterOf(contracts), from, to)
  return decodeFacts(await withTimestamps(rpc, logs), contracts, log)
}

const filterOf = ({ jobEscrow, workerStaking }: Contracts) => ({
  address: [jobEscrow, workerStaking],
  topics: [Object.values(TOPICS)],
})

/** Of several nodes behind one address, no one is further behind than this. */
const LAG_BLOCKS = 4

/**
 * As `readFacts`, for whoever reads each block once. Of a range, a node that lags behind tells what it
 * has, as if the rest held nothing; asked for a block by its hash, it says that it does not know it.
 */
async function readNewFacts(
  options: Options,
  from: number,
  to: number,
): Promise<readonly ChainFact[]> {
  const { rpc, contracts, log } = options
  const newest = Math.max(from, to - LAG_BLOCKS + 1)
  const [older, newer] = await Promise.all([
    newest > from ? readFacts(options, from, newest - 1) : [],
    readBlockLogs(options, { from: newest, to, filter: filterOf(contracts) }),
  ])
  if (!newer) throw new ChainUnavailable(`the node does not have block ${to} yet`)
  return [...older, ...decodeFacts(await withTimestamps(rpc, newer), contracts, log)]
}

interface Blocks {
  readonly from: number
  readonly to: number
  readonly filter: object
}

/** @returns undefined where the node lacks one of them */
async function readBlockLogs(
  { rpc }: Options,
  { from, to, filter }: Blocks,
): Promise<readonly RpcLog[] | undefined> {
  const read = async (number: number) => {
    const block = await blockOf(rpc, number)
    if (!block) return undefined
    return rpc.call<RpcLog[]>('eth_getLogs', [{ ...filter, blockHash: block.hash }])
  }
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const logs = await Promise.all(numbers.map(read))
  return logs.every((of) => of !== undefined) ? logs.flat() : undefined
}

/** Facts that tell their time; older nodes do not put that into the log. */
const TIMED: readonly (Hex | undefined)[] = [TOPICS.deposited, TOPICS.workerSlashed]

async function withTimestamps(rpc: Rpc, logs: readonly RpcLog[]): Promise<readonly RpcLog[]> {
  const timeless = logs.filter((log) => TIMED.includes(log.topics[0]) && !log.blockTimestamp)
  if (timeless.length === 0) return logs
  const numbers = [...new Set(timeless.map((log) => Number(log.blockNumber)))]
  const blocks = await Promise.all(numbers.map((number) => blockOf(rpc, number)))
  const timestamps = new Map(blocks.map((block) => [Number(block?.number), block?.timestamp]))
  return logs.map((log) => ({
    ...log,
    blockTimestamp: log.blockTimestamp ?? timestamps.get(Number(log.blockNumber)),
  }))
}

async function readJobFacts(
  { rpc, contracts, log }: Options,
  jobId: JobId,
): Promise<readonly ChainFact[]> {
  return decodeFacts(await readJobLogs(rpc, contracts, jobId), contracts, log)
}

async function readJobFactsAt(
  options: Options,
  block: number,
  jobId: JobId,
): Promise<readonly ChainFact[] | undefined> {
  const { rpc, contracts, log } = options
  const from = Math.max(contracts.deployBlock, block - LAG_BLOCKS + 1)
  const [all, newest] = await Promise.all([
    readJobLogs(rpc, contracts, jobId),
    readBlockLogs(options, { from, to: block, filter: jobFilter(contracts, jobId) }),
  ])
  if (!newest) return undefined
  const at = ({ blockNumber }: RpcLog) => Number(blockNumber)
  const before = all.filter((entry) => at(entry) < from)
  const after = all.filter((entry) => at(entry) > block)
  return decodeFacts([...before, ...newest, ...after], contracts, log)
}
