import { hexToBigInt } from 'viem'
import type { Hex } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import { makeCached } from '../rpc/cached.ts'
import { headOf } from '../rpc/head.ts'
import { type Rpc, RpcError } from '../rpc/json-rpc.ts'

/** In wei per unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

const FRESH_MS = 2_000
/** The base fee can have doubled since. */
const USABLE_MS = 30_000
const HISTORY_BLOCKS = '0x4'
const MEDIAN = [50]
/** A tip that a block builder takes on an idle chain, where the history shows none. */
const TIP_MIN_WEI = 10_000_000n

/** What the next transaction should offer. One question to the node every two seconds at most. */
export function makeFees(rpc: Rpc, log: Log): () => Promise<Fees> {
  const read = () => readFees(rpc)
  const fees = makeCached({ what: 'fees', read, freshMs: FRESH_MS, usableMs: USABLE_MS, log })
  return fees.get
}

interface FeeHistory {
  readonly baseFeePerGas: readonly Hex[]
  readonly reward?: readonly (readonly Hex[])[]
}

/** What the chain asks at this moment. */
export async function readFees(rpc: Rpc): Promise<Fees> {
  const asked = [HISTORY_BLOCKS, 'latest', MEDIAN]
  const history = await unlessRefused(rpc.call<FeeHistory>('eth_feeHistory', asked))
  if (!history) return readFeesOfHead(rpc)
  // The last entry is the base fee of the next block.
  const base = hexToBigInt(history.baseFeePerGas.at(-1) ?? '0x0')
  let tip = TIP_MIN_WEI
  for (const [median] of history.reward ?? []) {
    const seen = hexToBigInt(median ?? '0x0')
    if (seen > tip) tip = seen
  }
  return feesOf(base, tip)
}

/** Twice the base fee outlasts five full blocks. */
const feesOf = (base: bigint, tip: bigint): Fees => ({
  maxFeePerGas: base * 2n + tip,
  maxPriorityFeePerGas: tip,
})

/** Of a node without a history of fees: by its newest block, and by the tip or else the price that it names. */
async function readFeesOfHead(rpc: Rpc): Promise<Fees> {
  const base = hexToBigInt((await headOf(rpc)).baseFeePerGas ?? '0x0')
  const named = await readWantedTip(rpc)
  const price =
    named === undefined ? await unlessRefused(rpc.call<Hex>('eth_gasPrice', [])) : undefined
  const tip = named ?? (price ? hexToBigInt(price) - base : 0n)
  return feesOf(base, max(TIP_MIN_WEI, tip))
}

/**
 * The same for a transaction that was passed by, or not taken: what nobody has paid in the last blocks, the
 * node has to be asked. Many chains have a least tip, and one that is idle shows it nowhere else.
 */
export async function readFeesInstead(rpc: Rpc): Promise<Fees> {
  const [{ maxFeePerGas, maxPriorityFeePerGas: seen }, wanted] = await Promise.all([
    readFees(rpc),
    readWantedTip(rpc),
  ])
  const tip = max(seen, wanted ?? 0n)
  return { maxFeePerGas: maxFeePerGas - seen + tip, maxPriorityFeePerGas: tip }
}

/** Not every node knows the question. */
const readWantedTip = (rpc: Rpc): Promise<bigint | undefined> =>
  unlessRefused(rpc.call<Hex>('eth_maxPriorityFeePerGas', []).then(hexToBigInt))

const unlessRefused = <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof RpcError) return undefined
    throw error
  })

/** @param maxWei the most that the operator pays per unit of gas */
export function capFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees, maxWei: bigint): Fees {
  return {
    maxFeePerGas: min(maxFeePerGas, maxWei),
    maxPriorityFeePerGas: min(maxPriorityFeePerGas, maxWei),
  }
}

/**
 * Fees for another attempt at a nonce: what the chain asks now, and at least an eighth above the
 * former ones, since nodes take nothing less than a tenth more in place of what they hold.
 * @returns `capped` where not even that eighth is allowed
 */
export function raiseFees(former: Fees, asked: Fees, maxWei: bigint): Fees | 'capped' {
  const least = anEighthMore(former.maxFeePerGas)
  if (least > maxWei) return 'capped'
  const maxFeePerGas = min(maxWei, max(least, asked.maxFeePerGas))
  const tip = max(anEighthMore(former.maxPriorityFeePerGas), asked.maxPriorityFeePerGas)
  return { maxFeePerGas, maxPriorityFeePerGas: min(tip, maxFeePerGas) }
}

const anEighthMore = (wei: bigint): bigint => wei + (wei + 7n) / 8n
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
