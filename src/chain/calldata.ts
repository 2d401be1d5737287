import { encodeFunctionData, getAbiItem, toFunctionSelector } from 'viem'
import type { Address } from '../domain/ids.ts'
import { jobIdToBytes32 } from '../domain/ids.ts'
import { expandSignature } from '../domain/proof.ts'
import { unreachable } from '../domain/result.ts'
import { tierNumber } from '../domain/tiers.ts'
import type { LockIntent, SettleIntent } from '../messages/lane.ts'
import type { Batch, Hex } from '../ports/escrow.ts'
import { jobEscrowAbi, workerStakingAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'

export interface Call {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
}

/** The one call that does all of a batch. */
export function callOf(batch: Batch, contracts: Contracts): Call {
  return {
    to: batch.type === 'register' ? contracts.workerStaking : contracts.jobEscrow,
    data: dataOf(batch),
    gas: gasOf(batch),
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
    case 'register': {
      const [{ signer, payee, signature }] = batch.items
      return encodeFunctionData({
        abi: workerStakingAbi,
        functionName: 'register',
        args: [signer, payee, expandSignature(signature)],
      })
    }
    default:
      return unreachable(batch)
  }
}

const selector = (name: 'lockBatch' | 'settleBatch' | 'refundBatch'): Hex =>
  toFunctionSelector(getAbiItem({ abi: jobEscrowAbi, name }))

const LOCK_BATCH = selector('lockBatch')
const SETTLE_BATCH = selector('settleBatch')
const REFUND_BATCH = selector('refundBatch')

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

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
const bare = (hex: Hex): string => hex.slice(2)

/** A transaction may not ask for more (EIP-7825). */
const TRANSACTION_GAS_MAX = 16_777_216

const GAS: Readonly<Record<Batch['type'], { readonly fixed: number; readonly item: number }>> = {
  lock: { fixed: 80_000, item: 55_000 },
  settle: { fixed: 120_000, item: 80_000 },
  refund: { fixed: 60_000, item: 45_000 },
  register: { fixed: 250_000, item: 0 },
}

/**
 * A fixed formula, well above the dearest item measured: asking the node would cost a round trip a
 * batch. Gas that is not used is not paid; a batch that does run out is split by its lane.
 */
export function gasOf(batch: Batch): bigint {
  const { fixed, item } = GAS[batch.type]
  return BigInt(Math.min(TRANSACTION_GAS_MAX, fixed + item * batch.items.length))
}
