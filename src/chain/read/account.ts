import { setTimeout as sleep } from 'node:timers/promises'
import { decodeFunctionResult, encodeFunctionData, prepareEncodeFunctionData } from 'viem'
import { toCredits } from '../../domain/credits.ts'
import { type Address, toHex32 } from '../../domain/ids.ts'
import { unreachable } from '../../domain/result.ts'
import { toUnixMs } from '../../domain/time.ts'
import { type ChainFact, ChainUnavailable } from '../../ports/escrow.ts'
import type { BlockId, ChainAccount } from '../../ports/ledger.ts'
import { jobEscrowAbi } from '../abi.ts'
import type { Contracts } from '../contracts-file.ts'
import { callAtBlock, type SaidAtBlock } from '../rpc/call-at-block.ts'
import type { Rpc } from '../rpc/json-rpc.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
}
type ReadFacts<Given> = (options: Given, from: number, to: number) => Promise<readonly ChainFact[]>

/** Its selector costs two hashes: once a process, not once a read. */
const ACCOUNTS = prepareEncodeFunctionData({ abi: jobEscrowAbi, functionName: 'accounts' })

const READS_MAX = 40
/** Longer than a node takes from the state of a block to its number. */
const BETWEEN_READS_MS = 10

/**
 * The account at a block that is told with it. A balance that is off by one block would stay wrong, so a read
 * counts only if an earlier one and the logs in between add up to it.
 * @throws {ChainUnavailable}
 */
export async function readAccount<Given extends Options>(
  options: Given,
  wallet: Address,
  readFacts: ReadFacts<Given>,
): Promise<ChainAccount & BlockId> {
  const { rpc, contracts } = options
  const data = encodeFunctionData({ ...ACCOUNTS, args: [wallet] })
  const ask = callAtBlock(rpc, { to: contracts.jobEscrow, data })
  let earlier: (ChainAccount & BlockId) | undefined
  for (let reads = 0; reads < READS_MAX; reads++) {
    const said = await ask()
    if (!said) continue
    const read = toAccount(said)
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

function toAccount({ data, block }: SaidAtBlock): ChainAccount & BlockId {
  const about = { abi: jobEscrowAbi, functionName: 'accounts' } as const
  const [available, locked, , lastDepositAt] = decodeFunctionResult({ ...about, data })
  return {
    available: toCredits(available),
    locked: toCredits(locked),
    lastTopupAt: lastDepositAt === 0 ? null : toUnixMs(lastDepositAt * 1000),
    block: Number(block.number),
    blockHash: toHex32(block.hash ?? ''),
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
