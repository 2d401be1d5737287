import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, numberToHex, type RpcBlock } from 'viem'
import { headOf } from './head.ts'
import { type Rpc, RpcError } from './json-rpc.ts'
import { blockOf } from './new-logs.ts'

/** So often the head may move during a read before the block behind it is read. */
const MOVES_MAX = 3
/** Of several nodes behind one address one may lack a block for a while: in vain, each time twice as long. */
const IN_VAIN_MS_MAX = 100

/** What a contract says, and the block after which it says so. */
export interface SaidAtBlock {
  readonly data: Hex
  readonly block: RpcBlock
}

/**
 * Asks a contract, at a block that is told with the answer. A node may answer for block N with the state of N + 1
 * while it mines that (measured on anvil: 6 % of reads under load), or have pruned N by the time it is asked. So
 * a read counts only if the head did not move meanwhile. Where blocks come faster than a far node answers, the
 * head always has moved: then the block before it is read, whose state no node mixes up with what it mines. A node
 * without history refuses that, and is not asked for it again.
 * @returns asks once; undefined, after a moment: not this time, ask again
 */
export function callAtBlock(
  rpc: Rpc,
  call: { readonly to: Hex; readonly data: Hex },
): () => Promise<SaidAtBlock | undefined> {
  let moves = 0
  let inVainMs = 1
  let keepsHistory = true
  return async () => {
    const isPast = keepsHistory && moves >= MOVES_MAX
    const said = await readOnce(rpc, call, isPast)
    if (said === 'moved') moves++
    if (said === 'pruned' && isPast) keepsHistory = false
    if (typeof said !== 'string') return said
    await sleep(inVainMs)
    inVainMs = Math.min(IN_VAIN_MS_MAX, inVainMs * 2)
    return undefined
  }
}

async function readOnce(
  rpc: Rpc,
  call: { readonly to: Hex; readonly data: Hex },
  isPast: boolean,
): Promise<SaidAtBlock | 'moved' | 'pruned'> {
  const head = await headOf(rpc)
  const number = Number(head.number) - (isPast ? 1 : 0)
  const ask = () => rpc.call<Hex>('eth_call', [call, numberToHex(number)])
  try {
    const [data, block] = isPast
      ? await Promise.all([ask(), blockOf(rpc, number)])
      : [await ask(), await headOf(rpc)]
    const hash = isPast ? head.parentHash : head.hash
    return block?.hash === hash ? { data, block } : 'moved'
  } catch (error) {
    if (error instanceof RpcError) return 'pruned'
    throw error
  }
}
