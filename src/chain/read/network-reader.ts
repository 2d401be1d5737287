import type { RpcTransactionReceipt } from 'viem'
import type { TxHash } from '../../domain/ids.ts'
import { toUnixMs } from '../../domain/time.ts'
import type { Inclusion, NetworkReader } from '../../ports/network-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Contracts } from '../contracts-file.ts'
import { makeCached } from '../rpc/cached.ts'
import type { Rpc } from '../rpc/json-rpc.ts'
import { blockOf } from '../rpc/new-logs.ts'
import { readDisputeEnd } from './dispute-end.ts'
import { makeSolvencyReader } from './solvency.ts'
import { readPayee } from './worker-payee.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly log: Log
}

/** Everybody may ask: however many do, the chain is asked once in so long. */
const FRESH_MS = 3_000
const USABLE_MS = 15_000

export function makeNetworkReader(options: Options): NetworkReader {
  const { rpc, contracts, log } = options
  const terms = { freshMs: FRESH_MS, usableMs: USABLE_MS, log }
  const solvency = makeCached({ ...terms, what: 'solvency', read: makeSolvencyReader(options) })
  return {
    solvency: solvency.get,
    payeeOf: (signer) => readPayee(rpc, contracts, signer),
    inclusion: (tx) => readInclusion(rpc, tx),
    disputeEnd: (jobId, from) => readDisputeEnd(rpc, contracts, jobId, from),
  }
}

async function readInclusion(rpc: Rpc, tx: TxHash): Promise<Inclusion | null> {
  const receipt = await rpc.call<RpcTransactionReceipt | null>('eth_getTransactionReceipt', [tx])
  // Some nodes have one before there is a block.
  if (!receipt?.blockNumber) return null
  const number = Number(receipt.blockNumber)
  const block = await blockOf(rpc, number)
  return block && { block: number, at: toUnixMs(Number(block.timestamp) * 1_000) }
}
