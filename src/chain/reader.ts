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
import { decodeFacts, JOB_TOPICS, jobTopic, TOPICS } from './facts.ts'
import type { Rpc } from './json-rpc.ts'
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
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const logs = await rpc.call<RpcLog[]>('eth_getLogs', [{ ...filterOf(contracts), ...range }])
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
  const numbers = Array.from({ length: to - newest + 1 }, (_, i) => newest + i)
  const [older, ...newer] = await Promise.all([
    newest > from ? readFacts(options, from, newest - 1) : [],
    ...numbers.map((number) => readBlockLogs(options, number)),
  ])
  return [...older, ...decodeFacts(await withTimestamps(rpc, newer.flat()), contracts, log)]
}

async function readBlockLogs(
  { rpc, contracts }: Options,
  number: number,
): Promise<readonly RpcLog[]> {
  const block = await blockOf(rpc, number)
  if (!block) throw new ChainUnavailable(`the node does not have block ${number} yet`)
  const { hash: blockHash } = block
  return rpc.call<RpcLog[]>('eth_getLogs', [{ ...filterOf(contracts), blockHash }])
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
  const logs = await rpc.call<RpcLog[]>('eth_getLogs', [
    {
      address: contracts.jobEscrow,
      topics: [JOB_TOPICS, jobTopic(jobId)],
      fromBlock: numberToHex(contracts.deployBlock),
      toBlock: 'latest',
    },
  ])
  return decodeFacts(logs, contracts, log)
}
