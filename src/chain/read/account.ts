import { setTimeout as sleep } from 'node:timers/promises'
import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  prepareEncodeFunctionData,
} from 'viem'
import { toCredits } from '../../domain/credits.ts'
import { type Address, toHex32 } from '../../domain/ids.ts'
import { unreachable } from '../../domain/result.ts'
import { toUnixMs } from '../../domain/time.ts'
import { type ChainFact, ChainUnavailable } from '../../ports/escrow.ts'
import type { BlockId, ChainAccount } from '../../ports/ledger.ts'
import { jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import { headOf } from '../rpc/head.ts'
import { type Rpc, RpcError } from '../rpc/json-rpc.ts'
import { blockOf } from '../rpc/new-logs.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
}
type ReadFacts<Given> = (options: Given, from: number, to: number) => Promise<readonly ChainFact[]>

/** Its selector costs two hashes: once a process, not once a read. */
const ACCOUNTS = prepareEncodeFunctionData({ abi: jobEscrowAbi, functionName: 'accounts' })

const READS_MAX = 40
/** So often the head may move during a read before the block behind it is read. */
const MOVES_MAX = 3
/** Longer than a node takes from the state of a block to its number. */
const BETWEEN_READS_MS = 10

/**
 * The account at a block that is told with it. A node may answer for block N with the state of N + 1
 * while it mines that (measured on anvil: 6 % of reads under load), or have pruned N by the time it
 * is asked. A balance that is off by one block would stay wrong, so a read counts only if the head
 * did not move meanwhile, and if an earlier one and the logs in between add up to it. Where blocks come
 * faster than a far node answers, the head always has moved: then the block before it is read, whose state
 * no node mixes up with what it mines. A node without history refuses that, and is not asked for it again.
 * @throws {ChainUnavailable}
 */
export async function readAccount<Given extends Options>(
  options: Given,
  wallet: Address,
  readFacts: ReadFacts<Given>,
): Promise<ChainAccount & BlockId> {
  let earlier: (ChainAccount & BlockId) | undefined
  let moves = 0
  let keepsHistory = true
  for (let reads = 0; reads < READS_MAX; reads++) {
    const isPast = keepsHistory && moves >= MOVES_MAX
    const read = await readOnce(options, wallet, isPast)
    if (read === 'moved') moves++
    if (read === 'pruned' && isPast) keepsHistory = false
    if (typeof read === 'string') continue
    if (earlier && read.block >= earlier.block) {
      const facts =
        read.block > earlier.block ? await readFacts(options, earlier.block + 1, read.block) : []
      if (addsUp(earlier, facts, read, wallet)) return read
    }
    earlier = read
    await sleep(BETWEEN_READS_MS)
  }
  throw new ChainUnavailable(`no two of ${READS_MAX} reads of an account agreed; ask again`)
}

type Read = (ChainAccount & BlockId) | 'moved' | 'pruned'

async function readOnce(
  { rpc, contracts }: Options,
  wallet: Address,
  isPast: boolean,
): Promise<Read> {
  const data = encodeFunctionData({ ...ACCOUNTS, args: [wallet] })
  const head = await headOf(rpc)
  const block = isPast ? Number(head.number) - 1 : Number(head.number)
  const hash = isPast ? head.parentHash : head.hash
  const ask = () =>
    rpc.call<Hex>('eth_call', [{ to: contracts.jobEscrow, data }, numberToHex(block)])
  try {
    const [result, after] = isPast
      ? await Promise.all([ask(), blockOf(rpc, block)])
      : [await ask(), await headOf(rpc)]
    if (after?.hash !== hash) return 'moved'
    const [available, locked, , lastDepositAt] = decodeFunctionResult({
      abi: jobEscrowAbi,
      functionName: 'accounts',
      data: result,
    })
    return {
      available: toCredits(available),
      locked: toCredits(locked),
      lastTopupAt: lastDepositAt === 0 ? null : toUnixMs(lastDepositAt * 1000),
      block,
      blockHash: toHex32(hash ?? ''),
    }
  } catch (error) {
    if (error instanceof RpcError) return 'pruned'
    throw error
  }
}

interface Change {
  readonly available: bigint
  readonly locked: bigint
}

/** Whether the facts in between lead from the one to the other. */
function addsUp(
  earlier: ChainAccount,
  facts: readonly ChainFact[],
  read: ChainAccount,
  wallet: Address,
): boolean {
  let { available, locked }: Change = earlier
  for (const fact of facts) {
    if (!('wallet' in fact) || fact.wallet !== wallet) continue
    const change = changeBy(fact)
    available += change.available
    locked += change.locked
  }
  return available === read.available && locked === read.locked
}

function changeBy(fact: Extract<ChainFact, { readonly wallet: Address }>): Change {
  switch (fact.type) {
    case 'deposited':
    case 'thawing_cancelled':
      return { available: fact.credits, locked: 0n }
    case 'withdrawn':
    case 'thawing_started':
      return { available: -fact.credits, locked: 0n }
    case 'locked':
      return { available: -fact.credits, locked: fact.credits }
    case 'refunded':
      return { available: fact.credits, locked: -fact.credits }
    case 'settled':
      return { available: fact.returned, locked: -fact.returned - fact.charged }
    case 'dispute_resolved':
      return { available: fact.returned, locked: 0n }
    case 'disputed':
      return { available: 0n, locked: 0n } // what is held for it was the worker's and the treasury's
    default:
      return unreachable(fact)
  }
}
