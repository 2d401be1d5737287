import { getAbiItem, type RpcLog, toEventSelector } from 'viem'
import { toCredits } from '../../domain/credits.ts'
import {
  type Address,
  type JobId,
  jobIdFromBytes32,
  jobIdToBytes32,
  toAddress,
  toHex32,
} from '../../domain/ids.ts'
import { toUnixMs, type UnixMs } from '../../domain/time.ts'
import type { ChainFact, Hex } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import {
  jobEscrowAbi,
  SKIP_REASONS,
  SLASH_REASONS,
  type SlashReasonName,
  workerStakingAbi,
} from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'

type EscrowEvent = Extract<(typeof jobEscrowAbi)[number], { readonly type: 'event' }>['name']
const escrowTopic = (name: EscrowEvent): Hex =>
  toEventSelector(getAbiItem({ abi: jobEscrowAbi, name }))

type StakingEvent = Extract<(typeof workerStakingAbi)[number], { readonly type: 'event' }>['name']
const stakingTopic = (name: StakingEvent): Hex =>
  toEventSelector(getAbiItem({ abi: workerStakingAbi, name }))

/** First topics of the events that the house reads. */
export const TOPICS = {
  deposited: escrowTopic('Deposited'),
  withdrawn: escrowTopic('Withdrawn'),
  thawingStarted: escrowTopic('WithdrawalRequested'),
  thawingCancelled: escrowTopic('WithdrawalCancelled'),
  locked: escrowTopic('JobLocked'),
  settled: escrowTopic('JobSettled'),
  refunded: escrowTopic('JobRefunded'),
  disputed: escrowTopic('JobDisputed'),
  disputeResolved: escrowTopic('DisputeResolved'),
  skipped: escrowTopic('JobSkipped'),
  workerRegistered: stakingTopic('WorkerRegistered'),
  workerSlashed: stakingTopic('WorkerSlashed'),
} as const
/** Read for itself, by who needs nothing else. */
export const WORKER_DEACTIVATED = stakingTopic('WorkerDeactivated')

export const JOB_TOPICS = [
  TOPICS.locked,
  TOPICS.settled,
  TOPICS.refunded,
  TOPICS.disputed,
  TOPICS.disputeResolved,
  TOPICS.skipped,
]
export const jobTopic = (jobId: JobId): Hex => jobIdToBytes32(jobId)

type At = Pick<ChainFact, 'tx' | 'block' | 'blockHash' | 'logIndex'>
type Decode = (log: RpcLog, at: At) => ChainFact | undefined

/**
 * Logs of our contracts as facts, in the order given; logs of others are passed over. Decoded by
 * hand: a batch brings hundreds, and all their fields are whole words.
 */
export function decodeFacts(
  logs: readonly RpcLog[],
  { jobEscrow, workerStaking }: Contracts,
  log: Log,
): readonly ChainFact[] {
  const facts: ChainFact[] = []
  for (const raw of logs) {
    const decode = DECODERS.get(raw.topics[0] ?? '')
    if (!decode || raw.blockNumber === null) continue
    const address = raw.address.toLowerCase()
    if (address !== jobEscrow && address !== workerStaking) continue
    const fact = decode(raw, atOf(raw))
    if (fact) facts.push(fact)
    else
      log.warn({ tx: raw.transactionHash, logIndex: raw.logIndex }, 'chain: not a job id of ours')
  }
  return facts
}

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  [
    TOPICS.deposited,
    (log, at) => ({
      type: 'deposited',
      wallet: addressTopic(log, 1),
      credits: creditsWord(log, 0),
      at: timeOf(log),
      ...at,
    }),
  ],
  [TOPICS.withdrawn, (log, at) => ofCredits(log, at, 'withdrawn')],
  [TOPICS.thawingStarted, (log, at) => ofCredits(log, at, 'thawing_started')],
  [TOPICS.thawingCancelled, (log, at) => ofCredits(log, at, 'thawing_cancelled')],
  [
    TOPICS.locked,
    (log, at) =>
      ofJob(log, (jobId) => ({
        type: 'locked',
        jobId,
        wallet: addressTopic(log, 2),
        credits: creditsWord(log, 0),
        ...at,
      })),
  ],
  [
    TOPICS.settled,
    (log, at) =>
      ofJob(log, (jobId) => ({
        type: 'settled',
        jobId,
        wallet: addressTopic(log, 2),
        workerId: Number(topic(log, 3)),
        outputHash: toHex32(`0x${word(log, 0)}`),
        charged: creditsWord(log, 2),
        returned: creditsWord(log, 3),
        ...at,
      })),
  ],
  [
    TOPICS.refunded,
    (log, at) =>
      ofJob(log, (jobId) => ({
        type: 'refunded',
        jobId,
        wallet: addressTopic(log, 2),
        credits: creditsWord(log, 0),
        ...at,
      })),
  ],
  [
    TOPICS.disputed,
    (log, at) =>
      ofJob(log, (jobId) => ({
        type: 'disputed',
        jobId,
        wallet: addressTopic(log, 2),
        claimedHash: toHex32(`0x${word(log, 0)}`),
        ...at,
      })),
  ],
  [
    TOPICS.disputeResolved,
    (log, at) =>
      ofJob(log, (jobId) => ({
        type: 'dispute_resolved',
        jobId,
        wallet: addressTopic(log, 2),
        upheld: Number(`0x${word(log, 0)}`) === 1,
        returned: creditsWord(log, 1),
        ...at,
      })),
  ],
  [
    TOPICS.skipped,
    (log, at) => ofJob(log, (jobId) => ({ type: 'skipped', jobId, reason: reasonOf(log), ...at })),
  ],
  [
    TOPICS.workerRegistered,
    (log, at) => ({
      type: 'worker_registered',
      workerId: Number(topic(log, 1)),
      signer: addressTopic(log, 2),
      payee: addressTopic(log, 3),
      ...at,
    }),
  ],
  [
    TOPICS.workerSlashed,
    (log, at) => ({
      type: 'worker_slashed',
      signer: addressTopic(log, 2),
      amount: BigInt(`0x${word(log, 0)}`),
      reason: slashReasonOf(log),
      relatedJobId: jobIdOrBytes(topic(log, 3)),
      at: timeOf(log),
      ...at,
    }),
  ],
])

const atOf = (log: RpcLog): At => ({
  tx: toHex32(log.transactionHash ?? ''),
  block: Number(log.blockNumber),
  blockHash: toHex32(log.blockHash ?? ''),
  logIndex: Number(log.logIndex),
})

/** All of them name the wallet first, and hold the credits before all else. */
function ofCredits(
  log: RpcLog,
  at: At,
  type: 'withdrawn' | 'thawing_started' | 'thawing_cancelled',
): ChainFact {
  return { type, wallet: addressTopic(log, 1), credits: creditsWord(log, 0), ...at }
}

function ofJob(log: RpcLog, make: (jobId: JobId) => ChainFact): ChainFact | undefined {
  const jobId = jobIdFromBytes32(topic(log, 1))
  return jobId.ok ? make(jobId.value) : undefined
}

function reasonOf(log: RpcLog): string {
  const number = Number(`0x${word(log, 0)}`)
  return SKIP_REASONS[number] ?? `reason_${number}`
}

const SLASH_WORDS: Readonly<Record<SlashReasonName, string>> = {
  FraudulentProof: 'fraudulent_proof',
  Equivocation: 'equivocation',
}

function slashReasonOf(log: RpcLog): string {
  const number = Number(`0x${word(log, 1)}`)
  const name = SLASH_REASONS[number]
  return name ? SLASH_WORDS[name] : `reason_${number}`
}

function jobIdOrBytes(bytes: Hex): string {
  const jobId = jobIdFromBytes32(bytes)
  return jobId.ok ? jobId.value : bytes
}

/** Of the block. */
const timeOf = (log: RpcLog): UnixMs => toUnixMs(Number(log.blockTimestamp ?? 0) * 1000)

function topic(log: RpcLog, index: number): Hex {
  const found = log.topics[index]
  if (!found) throw new Error(`log of ${log.transactionHash} lacks topic ${index}`)
  return found
}

export const addressTopic = (log: RpcLog, index: number): Address =>
  toAddress(`0x${topic(log, index).slice(26)}`)
const word = (log: RpcLog, index: number): string => log.data.slice(2 + 64 * index, 66 + 64 * index)
const creditsWord = (log: RpcLog, index: number) => toCredits(`0x${word(log, index)}`)
