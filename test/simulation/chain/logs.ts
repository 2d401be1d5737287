import type { RpcLog } from 'viem'
import { SKIP_REASONS } from '../../../src/chain/abi.ts'
import { TOPICS, WORKER_DEACTIVATED } from '../../../src/chain/read/facts.ts'
import { type Address, type JobId, jobIdToBytes32 } from '../../../src/domain/ids.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { ESCROW, TOKEN, WORKER_STAKING } from './addresses.ts'
import type { Included, SimBlock } from './blocks.ts'
import type { Beside, FactBody, Log } from './scene.ts'

const SLASH_REASONS = ['fraudulent_proof', 'equivocation']
/** Transfer(address,address,uint256) */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const OTHER = `0x${'0e'.repeat(32)}` as const

/** The logs of one transaction, as a node gives them. */
export function rpcLogs(block: SimBlock, { transaction, logs }: Included): readonly RpcLog[] {
  return logs.map((log) => {
    const { address, topics, words } = encode(log)
    return {
      address,
      topics: topics as RpcLog['topics'],
      data: `0x${words.join('')}` as Hex,
      blockNumber: hex(block.number),
      blockHash: block.hash,
      blockTimestamp: hex(block.at),
      transactionHash: transaction.hash,
      transactionIndex: '0x0',
      logIndex: hex(log.logIndex),
      removed: false,
    } as RpcLog
  })
}

interface Encoded {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly words: readonly string[]
}

/** As the contracts put it into words. */
export function encode(log: Log): Encoded {
  switch (log.name) {
    case 'fact':
      return encodeFact(log.fact, log)
    case 'Transfer':
      return {
        address: TOKEN,
        topics: [TRANSFER, padded(ESCROW), padded(log.to)],
        words: [word(1)],
      }
    case 'WorkerDeactivated': {
      const topics = [WORKER_DEACTIVATED, numberTopic(log.workerId), padded(log.signer)]
      return { address: WORKER_STAKING, topics, words: [] }
    }
    default:
      return { address: ESCROW, topics: [OTHER], words: [] }
  }
}

function encodeFact(fact: FactBody, beside: Beside): Encoded {
  switch (fact.type) {
    case 'deposited':
      return ofWallet(TOPICS.deposited, [fact.wallet, beside.payer!], [fact.credits])
    case 'withdrawn':
      return ofWallet(TOPICS.withdrawn, [fact.wallet, beside.to!], [fact.credits])
    case 'thawing_started':
      return ofWallet(TOPICS.thawingStarted, [fact.wallet], [fact.credits, beside.endsAt!])
    case 'thawing_cancelled':
      return ofWallet(TOPICS.thawingCancelled, [fact.wallet], [fact.credits])
    case 'locked': {
      const words = [fact.credits, beside.tier!].map(word)
      return ofJob(TOPICS.locked, fact.jobId, [padded(fact.wallet)], words)
    }
    case 'refunded':
      return ofJob(TOPICS.refunded, fact.jobId, [padded(fact.wallet)], [word(fact.credits)])
    case 'settled': {
      const topics = [padded(fact.wallet), numberTopic(fact.workerId)]
      const { outputTokens, forWorker, forTreasury } = beside.shares!
      const numbers = [outputTokens, fact.charged, fact.returned, forWorker, forTreasury].map(word)
      return ofJob(TOPICS.settled, fact.jobId, topics, [fact.outputHash.slice(2), ...numbers])
    }
    case 'disputed': {
      const topics = [padded(fact.wallet), numberTopic(beside.workerId!)]
      return ofJob(TOPICS.disputed, fact.jobId, topics, [fact.claimedHash.slice(2)])
    }
    case 'dispute_resolved': {
      const topics = [padded(fact.wallet), numberTopic(beside.workerId!)]
      const words = [word(fact.upheld ? 1 : 0), word(fact.returned)]
      return ofJob(TOPICS.disputeResolved, fact.jobId, topics, words)
    }
    case 'skipped':
      return ofJob(
        TOPICS.skipped,
        fact.jobId,
        [],
        [word(SKIP_REASONS.indexOf(fact.reason as never))],
      )
    case 'worker_registered':
      return {
        address: WORKER_STAKING,
        topics: [
          ...[TOPICS.workerRegistered, numberTopic(fact.workerId)],
          ...[padded(fact.signer), padded(fact.payee)],
        ],
        words: [],
      }
    case 'worker_slashed':
      return {
        address: WORKER_STAKING,
        topics: [
          ...[TOPICS.workerSlashed, numberTopic(beside.workerId!), padded(fact.signer)],
          jobIdToBytes32(fact.relatedJobId as JobId),
        ],
        words: [word(fact.amount), word(SLASH_REASONS.indexOf(fact.reason))],
      }
    default:
      throw new Error(`no such fact: ${JSON.stringify(fact satisfies never)}`)
  }
}

const ofWallet = (
  topic: Hex,
  addresses: readonly Address[],
  words: readonly (bigint | number)[],
): Encoded => ({
  address: ESCROW,
  topics: [topic, ...addresses.map(padded)],
  words: words.map(word),
})
const ofJob = (
  topic: Hex,
  jobId: JobId,
  more: readonly Hex[],
  words: readonly string[],
): Encoded => ({ address: ESCROW, topics: [topic, jobIdToBytes32(jobId), ...more], words })

export const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
export const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
const padded = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`
const numberTopic = (value: number): Hex => `0x${word(value)}`
