import { numberToHex, type RpcBlock, type RpcLog } from 'viem'
import { type JobId, toHex32 } from '../domain/ids.ts'
import type { Block, ChainFact, EscrowReader, Hex } from '../ports/escrow.ts'
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
    facts: (from, to) => readFacts(options, from, to),
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
  const logs = await rpc.call<RpcLog[]>('eth_getLogs', [
    {
      address: [contracts.jobEscrow, contracts.workerStaking],
      topics: [Object.values(TOPICS)],
      fromBlock: numberToHex(from),
      toBlock: numberToHex(to),
    },
  ])
  return decodeFacts(await withTimestamps(rpc, logs), contracts, log)
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
