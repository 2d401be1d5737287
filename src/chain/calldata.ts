import { encodeFunctionData, getAbiItem, toFunctionSelector } from 'viem'
import type { Address } from '../domain/ids.ts'
import { jobIdToBytes32 } from '../domain/ids.ts'
import { expandSignature } from '../domain/proof.ts'
import { unreachable } from '../domain/result.ts'
import { tierNumber } from '../domain/tiers.ts'
import type { DisputeIntent, LockIntent, RegisterWorker, SettleIntent } from '../messages/lane.ts'
import type { Batch, Hex } from '../ports/escrow.ts'
import { jobEscrowAbi, workerStakingAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import { gasOf } from './send/gas.ts'

export interface Call {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
}

/**
 * The one call that does all of a batch.
 * @param gasPercent see `gasOf`
 */
export function callOf(batch: Batch, contracts: Contracts, gasPercent = 100): Call {
  return {
    to: batch.type === 'register' ? contracts.workerStaking : contracts.jobEscrow,
    data: dataOf(batch),
    gas: gasOf(batch, gasPercent),
  }
}

function dataOf(batch: Batch): Hex {
  switch (batch.type) {
    case 'lock':
      return arrayCall(LOCK_BATCH, batch.items.map(lockWords))
    case 'settle':
      return arrayCall(SETTLE_BATCH, batch.items.map(settleWords))
    case 'refund':
      return arrayCall(
        REFUND_BATCH,
        batch.items.map((item) => bare(jobIdToBytes32(item.jobId))),
      )
    case 'dispute':
      return arrayCall(DISPUTE_BATCH, batch.items.map(disputeWords))
    case 'register':
      return registerData(batch.items[0])
    default:
      return unreachable(batch)
  }
}

export const registerData = ({ signer, payee, signature }: RegisterWorker): Hex =>
  encodeFunctionData({
    abi: workerStakingAbi,
    functionName: 'register',
    args: [signer, payee, expandSignature(signature)],
  })

const selector = (name: 'lockBatch' | 'settleBatch' | 'refundBatch' | 'disputeBatch'): Hex =>
  toFunctionSelector(getAbiItem({ abi: jobEscrowAbi, name }))

const LOCK_BATCH = selector('lockBatch')
const SETTLE_BATCH = selector('settleBatch')
const REFUND_BATCH = selector('refundBatch')
const DISPUTE_BATCH = selector('disputeBatch')

/** A call whose one argument is an array of structs without dynamic parts: words, one after another. */
const arrayCall = (selector: Hex, items: readonly string[]): Hex =>
  `${selector}${word(32)}${word(items.length)}${items.join('')}`

const lockWords = ({ jobId, wallet, credits, tier }: LockIntent): string =>
  bare(jobIdToBytes32(jobId)) +
  bare(wallet).padStart(64, '0') +
  word(credits) +
  word(tierNumber(tier))

const settleWords = ({ jobId, completion, workerId, signature }: SettleIntent): string =>
  bare(jobIdToBytes32(jobId)) +
  bare(completion.outputHash) +
  word(workerId) +
  word(completion.outputTokens) +
  word(completion.completedAt) +
  bare(signature.r) +
  bare(signature.vs)

const disputeWords = ({ jobId, claimedHash }: DisputeIntent): string =>
  bare(jobIdToBytes32(jobId)) + bare(claimedHash)

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
const bare = (hex: Hex): string => hex.slice(2)
