import { hexToBigInt } from 'viem'
import type { Hex } from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import type { Rpc } from './json-rpc.ts'

/** In wei per unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Fees older than this are read anew in the background, while the old ones serve on. */
const FRESH_MS = 2_000
/** Fees older than this serve no more: the base fee can have doubled since. */
const USABLE_MS = 30_000
const HISTORY_BLOCKS = '0x4'
const MEDIAN = [50]
/** A tip that a block builder takes on an idle chain, where the history shows none. */
const TIP_MIN_WEI = 10_000_000n

/** What the next transaction should offer. One question to the node every two seconds at most. */
export function makeFees(rpc: Rpc, log: Log): () => Promise<Fees> {
  let known: { readonly fees: Fees; readonly at: number } | undefined
  let reading: Promise<Fees> | undefined

  const read = (): Promise<Fees> => {
    reading ??= readFees(rpc)
      .then((fees) => {
        known = { fees, at: performance.now() }
        return fees
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return async () => {
    const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY
    if (!known || age > USABLE_MS) return read()
    if (age > FRESH_MS) read().catch((error) => log.debug({ err: error }, 'fees not read'))
    return known.fees
  }
}

interface FeeHistory {
  readonly baseFeePerGas: readonly Hex[]
  readonly reward?: readonly (readonly Hex[])[]
}

async function readFees(rpc: Rpc): Promise<Fees> {
  const history = await rpc.call<FeeHistory>('eth_feeHistory', [HISTORY_BLOCKS, 'latest', MEDIAN])
  // The last entry is the base fee of the next block.
  const base = hexToBigInt(history.baseFeePerGas.at(-1) ?? '0x0')
  let tip = TIP_MIN_WEI
  for (const [median] of history.reward ?? []) {
    const seen = hexToBigInt(median ?? '0x0')
    if (seen > tip) tip = seen
  }
  // Twice the base fee outlasts five full blocks.
  return { maxFeePerGas: base * 2n + tip, maxPriorityFeePerGas: tip }
}
