import { encodeEventTopics, numberToHex, type RpcLog } from 'viem'
import { toCredits } from '../../domain/credits.ts'
import { type Address, toHex32 } from '../../domain/ids.ts'
import { toUnixMs, type UnixMs } from '../../domain/time.ts'
import { ChainUnavailable } from '../../ports/escrow.ts'
import type { ChainMovement, LogPlace, MovementPage, MovementQuery } from '../../ports/web-chain.ts'
import { jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import { type Rpc, RpcError } from '../rpc/json-rpc.ts'
import { blockOf } from '../rpc/new-logs.ts'
import { addressTopic } from './facts.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
}

/** How often one page asks for logs: then it ends, and says where to go on. */
const READS_MAX = 12
/** A node that refuses so few blocks refuses for another reason. */
const SPAN_MIN = 100
const SPAN_MAX = 2 ** 40

type EventName = 'Deposited' | 'Withdrawn' | 'WithdrawalCompleted'
const topicOf = (eventName: EventName) => encodeEventTopics({ abi: jobEscrowAbi, eventName })[0]!
const DEPOSITED = topicOf('Deposited')
const TOPICS = [DEPOSITED, topicOf('Withdrawn'), topicOf('WithdrawalCompleted')]

/** Reads backwards, in the widest ranges that the node answers: what they are it has to be asked. */
export function makeMovementReader({ rpc, contracts }: Options) {
  let span = SPAN_MAX
  return async ({ wallet, limit, before }: MovementQuery): Promise<MovementPage> => {
    const found: ChainMovement[] = []
    let to = before?.block ?? Number(await rpc.call<string>('eth_blockNumber', []))
    // A node that was busy, and refused for that, is not held to it for ever.
    span = Math.min(SPAN_MAX, span * 2)
    for (let reads = 0; reads < READS_MAX && to >= contracts.deployBlock; ) {
      const from = Math.max(contracts.deployBlock, to - span + 1)
      try {
        const logs = await readLogs({ rpc, contracts }, wallet, from, to)
        const times = await timesOf(rpc, logs)
        const newestFirst = logs.map((log) => toMovement(log, times)).sort(isLater)
        found.push(...newestFirst.filter((each) => !before || isLater(before, each) < 0))
      } catch (error) {
        if (!(error instanceof RpcError) || to - from < SPAN_MIN) throw error
        span = Math.ceil((to - from + 1) / 2)
        continue
      }
      if (found.length > limit) return cut(found, limit)
      to = from - 1
      reads++
    }
    const isAll = to < contracts.deployBlock
    return { movements: found, next: isAll ? null : { block: to + 1, logIndex: 0 } }
  }
}

function cut(found: readonly ChainMovement[], limit: number): MovementPage {
  const movements = found.slice(0, limit)
  const { block, logIndex } = movements.at(-1)!
  return { movements, next: { block, logIndex } }
}

/** Negative where `a` comes after `b`: for newest first. */
const isLater = (a: LogPlace, b: LogPlace): number => b.block - a.block || b.logIndex - a.logIndex

const readLogs = (
  { rpc, contracts }: Options,
  wallet: Address,
  from: number,
  to: number,
): Promise<readonly RpcLog[]> =>
  rpc.call<RpcLog[]>('eth_getLogs', [
    {
      address: contracts.jobEscrow,
      // All of them name the wallet first.
      topics: [TOPICS, `0x${wallet.slice(2).padStart(64, '0')}`],
      fromBlock: numberToHex(from),
      toBlock: numberToHex(to),
    },
  ])

/** Older nodes do not put the time into the log. */
async function timesOf(rpc: Rpc, logs: readonly RpcLog[]): Promise<ReadonlyMap<number, UnixMs>> {
  const times = new Map<number, UnixMs>()
  for (const { blockNumber, blockTimestamp } of logs) {
    const block = Number(blockNumber)
    if (times.has(block)) continue
    const time = blockTimestamp ?? (await timestampOf(rpc, block))
    times.set(block, toUnixMs(Number(time) * 1_000))
  }
  return times
}

async function timestampOf(rpc: Rpc, number: number) {
  const block = await blockOf(rpc, number)
  if (!block) throw new ChainUnavailable(`the node does not have block ${number} yet`)
  return block.timestamp
}

function toMovement(log: RpcLog, times: ReadonlyMap<number, UnixMs>): ChainMovement {
  const block = Number(log.blockNumber)
  return {
    type: log.topics[0] === DEPOSITED ? 'purchase' : 'withdrawal',
    credits: toCredits(log.data.slice(0, 66)),
    tx: toHex32(log.transactionHash ?? ''),
    block,
    logIndex: Number(log.logIndex),
    at: times.get(block)!,
    counterparty: addressTopic(log, 2),
  }
}
