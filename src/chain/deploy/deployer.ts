import { setTimeout as sleep } from 'node:timers/promises'
import {
  concat,
  createPublicClient,
  type Hex,
  keccak256,
  type PublicClient,
  parseTransaction,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Address, toAddress } from '../../domain/ids.ts'
import { headFollowing } from '../rpc/moving-head.ts'
import { receiptOf } from '../rpc/receipt.ts'
import type { Sent } from './record.ts'

export type Reader = PublicClient

/** What one transaction does. */
export interface Content {
  /** Undefined: it makes a contract. */
  readonly to: Address | undefined
  readonly data: Hex
}

export const contentHash = ({ to, data }: Content): Hex => keccak256(concat([to ?? '0x', data]))

/** One key that deploys. Nobody else may send with it meanwhile. */
export interface Deployer {
  readonly address: Address
  /** The nonce after all that the node knows of. */
  nextNonce(): Promise<number>
  /** Whether the chain has taken a transaction with this nonce, whichever it was. */
  isSpent(nonce: number): Promise<boolean>
  /** Signs, without sending. The same again with fees of now, where `before` was sent already. */
  sign(content: Content, nonce: number, before?: Sent): Promise<{ hash: Hex; raw: Hex }>
  /** Sends what may have been sent before. */
  broadcast(sent: Sent): Promise<void>
  /** Waits until the chain has taken a transaction with this nonce. */
  untilSpent(sent: Sent): Promise<void>
  /** How it went: undefined where another transaction took the nonce. */
  outcomeOf(sent: Sent): Promise<'success' | 'reverted' | undefined>
}

/** Without a memory: each answer is the node's, now. */
export const makeReader = (rpcUrl: string): Reader =>
  createPublicClient({ transport: headFollowing(rpcUrl), cacheTime: 0 })

const POLL_MS_LEAST = 20
const POLL_MS_MOST = 2_000
const PATIENCE_MS = 10 * 60_000
const SHOWN_MS = 5_000
/** Nodes want 110 at least. */
const REPLACEMENT_PERCENT = 115n
/** Of what the node says a transaction needs: state may change until it is included. */
const GAS_PERCENT = 120n

/** @param patienceMs how long one transaction may take to be included */
export function makeDeployer(reader: Reader, privateKey: Hex, patienceMs = PATIENCE_MS): Deployer {
  const account = privateKeyToAccount(privateKey)
  const address = toAddress(account.address)
  const count = (blockTag: 'latest' | 'pending') =>
    reader.getTransactionCount({ address, blockTag })
  const isSpent = async (nonce: number) => (await count('latest')) > nonce

  return {
    address,
    nextNonce: () => count('pending'),
    isSpent,

    sign: async (content, nonce, before) => {
      const past = before && parseTransaction(before.raw)
      const [chainId, gas, fees] = await Promise.all([
        reader.getChainId(),
        past?.gas ?? gasFor(reader, address, content),
        feesNow(reader),
      ])
      const { to, data } = content
      const paid = past ? dearer(fees, past) : fees
      const raw = await account.signTransaction({ chainId, nonce, gas, to, data, ...paid })
      return { hash: keccak256(raw), raw }
    },

    broadcast: async ({ raw, nonce, hashes }) => {
      try {
        await reader.sendRawTransaction({ serializedTransaction: raw })
      } catch (error) {
        // A node says no to what it knows already, and to what has been taken already.
        if (await isSpent(nonce)) return
        const known = await reader.getTransaction({ hash: hashes.at(-1)! }).catch(() => undefined)
        if (!known) throw error
      }
    },

    untilSpent: async ({ nonce, hashes }) => {
      const deadline = performance.now() + patienceMs
      for (let pause = POLL_MS_LEAST; !(await isSpent(nonce)); pause *= 1.5) {
        if (performance.now() > deadline) {
          throw new Error(
            `transaction ${hashes.at(-1)} was not included in ${patienceMs / 1_000} s: run this ` +
              'again, which sends it with the fees of then and goes on',
          )
        }
        await sleep(Math.min(pause, POLL_MS_MOST))
      }
    },

    outcomeOf: async ({ hashes }) => {
      // A node may count a transaction a moment before it shows the receipt.
      const deadline = performance.now() + SHOWN_MS
      for (let pause = POLL_MS_LEAST; ; pause *= 1.5) {
        const receipts = await Promise.all(hashes.map((hash) => receiptOf(reader, hash)))
        const receipt = receipts.find((each) => each !== undefined)
        if (receipt || performance.now() > deadline) return receipt?.status
        await sleep(Math.min(pause, POLL_MS_MOST))
      }
    },
  }
}

/** @throws with the contract's refusal, where the transaction would fail */
async function gasFor(reader: Reader, account: Address, content: Content): Promise<bigint> {
  const needed = await reader.estimateGas({ account, to: content.to ?? null, data: content.data })
  return (needed * GAS_PERCENT) / 100n
}

type Fees =
  | { type: 'eip1559'; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
  | { type: 'legacy'; gasPrice: bigint }

/** What gets a transaction included, on chains with a base fee and on those without. */
export async function feesNow(reader: Reader): Promise<Fees> {
  const { baseFeePerGas } = await reader.getBlock()
  if (baseFeePerGas === null) return { type: 'legacy', gasPrice: await reader.getGasPrice() }
  const tip = await reader.estimateMaxPriorityFeePerGas()
  // The base fee can double in six full blocks.
  return {
    ...{ type: 'eip1559', maxFeePerGas: 2n * baseFeePerGas + tip, maxPriorityFeePerGas: tip },
  }
}

/** Fees of now, and enough to replace a transaction that was sent with those of then. */
function dearer(now: Fees, then: ReturnType<typeof parseTransaction>): Fees {
  const above = (wanted: bigint, paid: bigint | undefined) => {
    const least = ((paid ?? 0n) * REPLACEMENT_PERCENT) / 100n + 1n
    return wanted > least ? wanted : least
  }
  if (now.type === 'legacy') return { ...now, gasPrice: above(now.gasPrice, then.gasPrice) }
  return {
    type: 'eip1559',
    maxFeePerGas: above(now.maxFeePerGas, then.maxFeePerGas),
    maxPriorityFeePerGas: above(now.maxPriorityFeePerGas, then.maxPriorityFeePerGas),
  }
}
