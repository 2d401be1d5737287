import type { RpcBlock, RpcLog } from 'viem'
import { LAG_MAX_MS } from '../../domain/block-trail.ts'
import { fewAtOnce } from '../../domain/few-at-once.ts'
import { type JobId, toHex32 } from '../../domain/ids.ts'
import {
  type Block,
  type ChainFact,
  ChainUnavailable,
  type Ends,
  type EscrowReader,
  type Hex,
} from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Contracts } from '../contracts-file.ts'
import type { BlockWatch } from '../rpc/block-watch.ts'
import { headOf } from '../rpc/head.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { readLogs } from '../rpc/log-ranges.ts'
import { blockOf, readBlockLogs, readNewLogs } from '../rpc/new-logs.ts'
import { readAccount } from './account.ts'
import { decodeFacts, TOPICS } from './facts.ts'
import { jobFilter, readJobLogs } from './job-logs.ts'
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
    head: async () => toBlock(await headOf(rpc)),
    block: async (number) => {
      const block = await blockOf(rpc, number)
      return block ? toBlock(block) : undefined
    },
    facts: (from, to, ends) => readNewFacts(options, from, to, ends),
    account: (wallet) => readAccount(options, wallet, readFacts),
    jobFacts: (jobId) => readJobFacts(options, jobId),
    jobFactsAt: (block, jobId) => readJobFactsAt(options, block, jobId),
    workerId: (signer) => readWorkerId(rpc, contracts, signer),
    registrationError: (wish) => readRegistrationError(rpc, contracts, wish),
    deactivated: (from, to) => readDeactivated(rpc, contracts, from, to),
    onBlock: blocks.onBlock,
  }
}

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

async function readNewFacts(
  { rpc, contracts, log }: Options,
  from: number,
  to: number,
  ends?: Ends,
): Promise<readonly ChainFact[]> {
  const logs = await readNewLogs(rpc, { from, to, filter: filterOf(contracts), ends })
  return decodeFacts(await withTimestamps(rpc, logs), contracts, log)
}

/** Facts that tell their time; older nodes do not put that into the log. */
const TIMED: readonly (Hex | undefined)[] = [TOPICS.deposited, TOPICS.workerSlashed]

async function withTimestamps(rpc: Rpc, logs: readonly RpcLog[]): Promise<readonly RpcLog[]> {
  const timeless = logs.filter((log) => TIMED.includes(log.topics[0]) && !log.blockTimestamp)
  if (timeless.length === 0) return logs
  const numbers = [...new Set(timeless.map((log) => Number(log.blockNumber)))]
  const blocks = await fewAtOnce(numbers, (number) => blockOf(rpc, number))
  const timestamps = new Map(blocks.map((block) => [Number(block?.number), block?.timestamp]))
  const missing = numbers.find((number) => !timestamps.has(number))
  if (missing !== undefined) throw new ChainUnavailable(`the node does not have block ${missing}`)
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

/** Of several nodes behind one address, no one is further behind than so many blocks, and so long. */
const LAG_BLOCKS = 4
const LAG_SECONDS = LAG_MAX_MS / 1_000
/** Of a chain whose blocks have no time between them, as where each transaction makes one. */
const LAG_BLOCKS_MAX = 16

/** How many blocks up to `block` a node that lags may lack: where they come four a second, more than a few. */
async function lagUpTo(rpc: Rpc, block: number): Promise<number> {
  const before = Math.max(0, block - LAG_BLOCKS)
  const [first, last] = await Promise.all([blockOf(rpc, before), blockOf(rpc, block)])
  // Whole ones: of blocks that come within one, nobody knows how many more do.
  const seconds = Number(last?.timestamp) - Number(first?.timestamp)
  if (Number.isNaN(seconds) || seconds >= LAG_SECONDS) return LAG_BLOCKS
  return Math.min(LAG_BLOCKS_MAX, Math.ceil((LAG_BLOCKS * LAG_SECONDS) / Math.max(0, seconds)))
}

async function readJobFactsAt(
  { rpc, contracts, log }: Options,
  block: number,
  jobId: JobId,
): Promise<readonly ChainFact[] | undefined> {
  const lag = await lagUpTo(rpc, block)
  const from = Math.max(contracts.deployBlock, block - lag + 1)
  const [all, newest] = await Promise.all([
    readJobLogs(rpc, contracts, jobId),
    readBlockLogs(rpc, { from, to: block, filter: jobFilter(contracts, jobId) }),
  ])
  if (!newest) return undefined
  const at = ({ blockNumber }: RpcLog) => Number(blockNumber)
  const before = all.filter((entry) => at(entry) < from)
  const after = all.filter((entry) => at(entry) > block)
  return decodeFacts([...before, ...newest, ...after], contracts, log)
}
