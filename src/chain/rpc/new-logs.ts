import { numberToHex, type RpcBlock, type RpcLog } from 'viem'
import type { Hex32 } from '../../domain/ids.ts'
import { ChainUnavailable, type Ends } from '../../ports/escrow.ts'
import { type Rpc, RpcError } from './json-rpc.ts'
import { type LogFilter, readLogs } from './log-ranges.ts'

export interface Blocks {
  readonly from: number
  readonly to: number
  readonly filter: LogFilter
  readonly ends?: Ends | undefined
}

/** So many of the newest blocks must show of which branch they are. */
const NEWEST_BLOCKS = 8

/**
 * Logs for whoever reads each block once, oldest first. Of a range, a node that lags behind tells what it
 * has, as if the rest held nothing; and one that is on another branch tells of that. So the newest blocks
 * are asked for by their hashes, and have to follow one another, unless one answer shows that it has them all.
 * @throws {ChainUnavailable} the node lacks one of them, or has others
 */
export async function readNewLogs(rpc: Rpc, blocks: Blocks): Promise<readonly RpcLog[]> {
  const { from, to, filter, ends } = blocks
  const newest = Math.max(from, to - NEWEST_BLOCKS + 1)
  const after = newest === from ? ends?.after : undefined
  const [older, newer] = await Promise.all([
    newest > from ? readLogs(rpc, filter, from, newest - 1) : [],
    readNewest(rpc, { from: newest, to, filter, ends: { after, end: ends?.end } }),
  ])
  if (!newer) throw new ChainUnavailable(`the node does not have block ${to} yet`)
  return [...older, ...newer]
}

const readNewest = async (rpc: Rpc, blocks: Blocks) =>
  (await readTogether(rpc, blocks)) ?? (await readBlockLogs(rpc, blocks))

/**
 * One question for all of them, where what is read is in the first block and in the last, as on a busy
 * chain of our own: an answer whose logs have the hashes of both is of one node, and of their branch.
 * @returns undefined where the answer does not show it
 */
async function readTogether(
  rpc: Rpc,
  { from, to, filter, ends }: Blocks,
): Promise<readonly RpcLog[] | undefined> {
  if (from === to || !ends?.end) return undefined
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const logs = await rpc
    .call<RpcLog[]>('eth_getLogs', [{ ...filter, ...range }])
    // Its limits are its own: one by one it may answer.
    .catch((error: unknown) => (error instanceof RpcError ? [] : Promise.reject(error)))
  const [first, last] = [logs[0], logs.at(-1)]
  if (Number(first?.blockNumber) !== from || last?.blockHash !== ends.end) return undefined
  // Afterwards: a branch that was left while the node looked through it is left by now.
  const block = await blockOf(rpc, from)
  const follows = !ends.after || block?.parentHash === ends.after
  return block?.hash === first?.blockHash && follows ? logs : undefined
}

/**
 * @returns undefined where the node lacks one of them
 * @throws {ChainUnavailable} they are of several branches, or one has no hash
 */
export async function readBlockLogs(
  rpc: Rpc,
  { from, to, filter, ends }: Blocks,
): Promise<readonly RpcLog[] | undefined> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const found = await Promise.all(numbers.map((number) => blockOf(rpc, number)))
  const blocks = found.filter((block) => block !== null)
  if (blocks.length < found.length) return undefined
  refuseBranches(blocks, ends)
  return (await readByHash(rpc, filter, blocks)) ?? (await readByNumber(rpc, filter, blocks))
}

/** @returns undefined where the node takes no hash, or does not look at it */
async function readByHash(
  rpc: Rpc,
  filter: LogFilter,
  blocks: readonly RpcBlock[],
): Promise<readonly RpcLog[] | undefined> {
  const ask = ({ hash }: RpcBlock) =>
    rpc.call<RpcLog[]>('eth_getLogs', [{ ...filter, blockHash: hash }])
  try {
    const logs = await Promise.all(blocks.map(ask))
    const isOf = ({ hash }: RpcBlock, i: number) => logs[i]!.every((log) => log.blockHash === hash)
    return blocks.every(isOf) ? logs.flat() : undefined
  } catch (error) {
    if (error instanceof RpcError && takesNoHash(error)) return undefined
    throw error
  }
}

/** The words of those that know only ranges, and of all that lack the block, which is another matter. */
const NO_HASH =
  /block_?\s?hash|(from|to)_?block|(un|not )supported|unknown field|invalid (param|argument|filter)/i
const NO_BLOCK =
  /not found|unknown block|could not|out ?of ?range|no such|missing (block|header)|is missing|exist/i
const takesNoHash = ({ reason }: RpcError): boolean =>
  NO_HASH.test(reason) && !NO_BLOCK.test(reason)

/**
 * As good, of one node: what is not of these blocks is seen. Of several behind one address, one that lags may hide
 * what it lacks.
 */
async function readByNumber(
  rpc: Rpc,
  filter: LogFilter,
  blocks: readonly RpcBlock[],
): Promise<readonly RpcLog[]> {
  const [first, last] = [blocks[0]!, blocks.at(-1)!]
  const logs = await readLogs(rpc, filter, Number(first.number), Number(last.number))
  const hashes = new Set<string | null>(blocks.map(({ hash }) => hash))
  const other = logs.find(({ blockHash }) => !hashes.has(blockHash))
  if (other) throw otherBranch(other.blockNumber)
  // Afterwards: a branch that was left while the node looked through it is left by now.
  const after = await blockOf(rpc, Number(last.number))
  if (after?.hash !== last.hash) throw otherBranch(last.number)
  return logs
}

function refuseBranches(blocks: readonly RpcBlock[], ends: Ends | undefined): void {
  let before: Hex32 | string | null | undefined = ends?.after
  for (const { number, hash, parentHash } of blocks) {
    // Asked without one, a node tells of its newest block, as if this one held nothing.
    if (!hash) throw new ChainUnavailable(`the node told no hash of block ${Number(number)}`)
    if (before && parentHash !== before) throw otherBranch(number)
    before = hash
  }
  if (ends?.end && before !== ends.end) throw otherBranch(blocks.at(-1)?.number)
}

const otherBranch = (number: string | null | undefined) =>
  new ChainUnavailable(
    `block ${Number(number)} is not of the chain that was seen a moment ago: its nodes disagree`,
  )

export const blockOf = (rpc: Rpc, number: number): Promise<RpcBlock | null> =>
  rpc.call<RpcBlock | null>('eth_getBlockByNumber', [numberToHex(number), false])
