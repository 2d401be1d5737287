import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import type { Address, Hex32 } from '../../../src/domain/ids.ts'
import { ChainUnavailable, type Hex } from '../../../src/ports/escrow.ts'
import type { UnsignedTransaction } from '../../../src/ports/signer.ts'
import type { Node } from '../world.ts'
import type { SimBlock } from './blocks.ts'
import { decodeCall } from './call-data.ts'
import { type Seen, type SimChain, short } from './chain.ts'
import { answerCall } from './eth-call.ts'
import { hex, rpcLogs } from './logs.ts'

/** A transaction that somebody here has signed, by its bytes. */
export interface Signed {
  readonly hash: Hex32
  readonly sender: Address
  readonly transaction: UnsignedTransaction
}
export type SignedByBytes = Map<Hex, Signed>

/** Geth's: what it holds is replaced for a tenth more. */
const REPLACEMENT_PERCENT = 110n
const GAS_LIMIT = 30_000_000n
const RICH = 10n ** 24n

interface Options {
  readonly chain: SimChain
  readonly node: Node
  readonly signed: SignedByBytes
}

/** JSON-RPC of the chain's node, as a process of the house reaches it: the methods that it calls. */
export function simRpc(options: Options): Rpc {
  const { node, chain } = options
  const lost = () => new ChainUnavailable('the node does not answer')
  return {
    call: <Result>(method: string, params: readonly unknown[]) =>
      node.call(
        'chain',
        () => {
          if (chain.isDown) throw new ChainUnavailable('the node is down')
          chain.troubles?.mayRefuse(method)
          const result = answer(options, method, params) as Result
          // It may have done what it was asked for, all the same.
          chain.troubles?.mayRefuse(method)
          return result
        },
        lost,
      ),
    close: async () => {},
  }
}

function answer({ chain, signed }: Options, method: string, params: readonly unknown[]): unknown {
  const seen = chain.seen()
  const { head } = seen
  const [first, second] = params
  switch (method) {
    case 'eth_blockNumber':
      return hex(head.number)
    case 'eth_getBlockByNumber':
      return blockAnswer(blockAt(chain, seen, first as string))
    case 'eth_getTransactionCount':
      return hex(nonceOf(chain, head, first as Address, second as string))
    case 'eth_getBalance':
      return hex(chain.coinOf(first as Address, head) ?? RICH)
    case 'eth_feeHistory':
      return { baseFeePerGas: [hex(head.baseFeeWei), hex(head.baseFeeWei)], reward: [] }
    case 'eth_getTransactionReceipt':
      return receiptOf(chain, seen, first as Hex32)
    case 'eth_getLogs':
      return logsOf(seen, first as Filter)
    case 'eth_sendRawTransaction':
      return take(chain, signed.get(first as Hex))
    case 'eth_call':
      return answerCall(chain, blockAt(chain, seen, second as string), first as EthCall)
    case 'eth_estimateGas':
      return estimate(chain, head, first as EthCall)
    default:
      throw new RpcError(method, -32601, 'the method does not exist')
  }
}

/* BLOCKS */

function blockAt(chain: SimChain, { blocks, head }: Seen, tag: string): SimBlock | undefined {
  if (tag === 'latest' || tag === 'pending' || tag === undefined) return head
  const number = Number(tag)
  return number > head.number ? undefined : chain.block(number, blocks)
}

const nonceOf = (chain: SimChain, head: SimBlock, sender: Address, tag: string): number =>
  tag === 'pending' ? chain.pendingNonceOf(sender, head) : chain.nonceOf(sender, head)

const blockAnswer = (block: SimBlock | undefined) =>
  block
    ? {
        number: hex(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        timestamp: hex(block.at),
        gasLimit: hex(GAS_LIMIT),
      }
    : null

function receiptOf(chain: SimChain, seen: Seen, hash: Hex32) {
  const found = chain.find(hash, seen)
  if (!found || chain.troubles?.hidesReceipts(found.block)) return null
  const { block, included } = found
  return {
    transactionHash: hash,
    blockNumber: hex(block.number),
    blockHash: block.hash,
    status: included.error === undefined ? '0x1' : '0x0',
    logs: rpcLogs(block, included),
  }
}

interface Filter {
  readonly address: Address | readonly Address[]
  readonly topics: readonly (Hex | null | readonly Hex[])[]
  readonly fromBlock: string
  readonly toBlock: string
  /** In place of both. */
  readonly blockHash?: Hex32
}

function logsOf({ blocks, head }: Seen, { address, topics, ...range }: Filter) {
  const { blockHash } = range
  const from = Number(range.fromBlock)
  const to = range.toBlock === 'latest' ? head.number : Number(range.toBlock)
  const addresses: readonly Address[] = typeof address === 'string' ? [address] : address
  const inRange = blocks.filter(({ number, hash }) =>
    blockHash === undefined ? number >= from && number <= to : hash === blockHash,
  )
  if (blockHash !== undefined && (inRange[0]?.number ?? head.number + 1) > head.number) {
    throw new RpcError('eth_getLogs', -32000, 'unknown block')
  }
  return inRange
    .filter(({ number }) => number <= head.number)
    .flatMap((block) => block.included.flatMap((included) => rpcLogs(block, included)))
    .filter(
      (log) =>
        addresses.includes(log.address as Address) &&
        topics.every((wanted, i) => wanted === null || [wanted].flat().includes(log.topics[i]!)),
    )
}

/* TRANSACTIONS */

function take(chain: SimChain, signed: Signed | undefined): Hex32 {
  const refuse = (reason: string) => new RpcError('eth_sendRawTransaction', -32000, reason)
  if (!signed) throw refuse('rlp: not a transaction that anybody signed')
  const { hash, sender, transaction } = signed
  const { nonce, maxFeePerGas, gas } = transaction
  if (nonce < chain.nonceOf(sender)) throw refuse('nonce too low')
  const rival = chain.pool.find((each) => each.sender === sender && each.nonce === nonce)
  if (rival?.hash === hash) throw refuse('already known')
  const cost = gas * maxFeePerGas
  if (!chain.canPay(sender, cost)) {
    const words = `balance ${chain.coinOf(sender)}, tx cost ${cost}`
    throw refuse(`insufficient funds for gas * price + value: ${words}`)
  }
  if (rival && maxFeePerGas * 100n < rival.maxFeeWei * REPLACEMENT_PERCENT) {
    throw refuse('replacement transaction underpriced')
  }
  if (maxFeePerGas * 4n < chain.head.baseFeeWei) {
    throw refuse('transaction underpriced: max fee per gas is less than the block base fee')
  }
  const call = decodeCall(transaction.data)
  const taken = { hash, sender, nonce, maxFeeWei: maxFeePerGas, gas, call }
  chain.pool = [...chain.pool.filter((each) => each !== rival), taken]
  chain.note(`takes ${short(hash)} ${call.type}, nonce ${nonce}`)
  return hash
}

export interface EthCall {
  readonly from?: Address
  readonly to: Address
  readonly data: Hex
}

/** @throws {RpcError} where the call would revert; its reason is the error's name */
function estimate(chain: SimChain, head: SimBlock, { from, data }: EthCall): Hex {
  const call = decodeCall(data)
  const error = chain.tryOut(from!, call, head)
  if (error !== undefined) throw new RpcError('eth_estimateGas', 3, error)
  return hex(chain.gasOf(call))
}
