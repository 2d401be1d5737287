import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcTransactionReceipt } from 'viem'
import { type Address, type TxHash, toHex32 } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import {
  BatchTooLarge,
  ChainUnavailable,
  GasFundsMissing,
  type Hex,
  LaneConflict,
  NonceGap,
  type Offer,
  type Receipt,
  type SignedTransaction,
  TransactionRefused,
} from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Contracts } from '../contracts-file.ts'
import { decodeFacts } from '../read/facts.ts'
import { type Rpc, RpcError } from '../rpc/json-rpc.ts'
import type { LookPace } from './look-pace.ts'
import type { Nonces } from './nonces.ts'
import { type Offered, offer } from './offer.ts'

export interface Sending {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly sender: Address
  /** Of the sender. */
  readonly nonces: Nonces
  readonly log: Log
  /** A transaction that blocks pass by for so long is stuck. */
  readonly stuckMs: number
  readonly patience: Patience
  readonly pace: LookPace
}

/** Since when one lane's newest attempt waits; outlives an outage of the node. */
export interface Patience {
  hash?: TxHash
  since?: number
  /** The head when it was first looked after. */
  fromBlock?: number
}

/** Higher fees help only where blocks are made: so many have to pass by. */
const STUCK_BLOCKS = 3
/** A receipt that is not there after this long will not come at once: who called tries again. */
const INCLUSION_MS = 60_000
const POLL_MAX_MS = 250
/** A timer is not more exact; the question's own way is wait enough. */
const TIMER_MIN_MS = 1
/** How often a transaction that is not included is looked after: its nonce, its place in the pool. */
const LOOK_AFTER_MS = 1_000
/** Nodes behind one address may lag: a nonce that is spent for so long without a receipt went to another. */
const RECEIPT_LAG_MS = 3_000

/**
 * The plain way, hash first and receipt by polling: `eth_sendRawTransactionSync` was measured to be
 * no faster on a local node, and it would tell of the broadcast only with the block.
 */
export async function send(
  sending: Sending,
  { transaction, earlier }: Offer,
  broadcast: () => void,
): Promise<Receipt | 'stuck'> {
  wait(sending.patience, transaction.hash)
  const hashes = [transaction.hash, ...earlier]
  const startedAt = performance.now()
  const first = await offerOrFind(sending, transaction, hashes)
  if (typeof first === 'object') {
    sending.nonces.spent(transaction.nonce)
    broadcast()
    return first
  }
  let offered = first
  if (offered === 'taken') broadcast()
  let spentAt = offered === 'nonce_spent' ? startedAt : undefined
  let lookAfterAt = startedAt + LOOK_AFTER_MS
  const takenAt = performance.now()
  if (offered === 'taken') await rest(sending.pace.firstMs)
  let waitMs = sending.pace.nextMs
  for (let isFirst = true; ; isFirst = false) {
    const askedMs = performance.now() - takenAt
    const receipt = await receiptOfAny(sending, hashes)
    if (receipt) {
      sending.nonces.spent(transaction.nonce)
      if (offered === 'taken') sending.pace.found(askedMs, isFirst)
      else broadcast()
      return receipt
    }
    const now = performance.now()
    if (now - startedAt > INCLUSION_MS) {
      throw new ChainUnavailable(`${transaction.hash} is not included yet`)
    }
    if (now >= lookAfterAt) {
      const before = offered
      const spentMs = now - (spentAt ?? now)
      offered = await lookAfter(sending, transaction, { waitedMs: now - startedAt, spentMs })
      spentAt = offered === 'nonce_spent' ? (spentAt ?? now) : undefined
      if (offered === 'taken' && before !== 'taken') broadcast()
      if (offered === 'underpriced') return 'stuck'
      // Once its nonce is spent, a higher fee can change nothing.
      if (offered !== 'nonce_spent' && (await isStuck(sending))) return 'stuck'
      lookAfterAt = performance.now() + LOOK_AFTER_MS
    }
    await rest(waitMs)
    waitMs = Math.min(POLL_MAX_MS, waitMs * 2)
  }
}

/**
 * One that is in a block already may be refused in words that nobody here knows, for an empty purse, or for its size,
 * which another node did not mind. And so may one whose nonce another transaction has, or whose turn has not come.
 */
async function offerOrFind(
  sending: Sending,
  transaction: SignedTransaction,
  hashes: readonly TxHash[],
): Promise<Offered | Receipt> {
  try {
    return await offerOnce(sending, transaction)
  } catch (error) {
    if (!REFUSED.some((refusal) => error instanceof refusal)) throw error
    const receipt = await receiptOfAny(sending, hashes)
    if (receipt) return receipt
    if (await isSpent(sending, transaction)) return 'nonce_spent'
    throw error
  }
}

/** What its nonce comes after is not known to the node. Where the chain has that, it only lags: others may not. */
class NodeLags extends ChainUnavailable {}

const REFUSED = [TransactionRefused, GasFundsMissing, BatchTooLarge, NodeLags]

async function offerOnce({ rpc, sender }: Sending, transaction: SignedTransaction) {
  try {
    return await offer(rpc, transaction, sender)
  } catch (error) {
    // Whatever else it says of a transaction is known.
    if (error instanceof RpcError) throw new TransactionRefused(error.reason, { cause: error })
    if (error instanceof NonceGap) throw new NodeLags(error.message, { cause: error })
    throw error
  }
}

const rest = async (ms: DurationMs): Promise<void> => {
  if (ms >= TIMER_MIN_MS) await sleep(ms)
}

/** An attempt that is already waited for keeps its time. */
function wait(patience: Patience, hash: TxHash): void {
  if (patience.hash === hash) return
  patience.hash = hash
  patience.since = performance.now()
  delete patience.fromBlock
}

/** Finds out why a transaction is not included; sends it again where the node has dropped it. */
async function lookAfter(
  sending: Sending,
  transaction: SignedTransaction,
  { waitedMs, spentMs }: { readonly waitedMs: DurationMs; readonly spentMs: DurationMs },
): Promise<Offered> {
  const { sender, log } = sending
  const { nonce, hash } = transaction
  if (await isSpent(sending, transaction)) {
    // However long it has waited: its block may have come since its receipt was asked for.
    if (spentMs < RECEIPT_LAG_MS) return 'nonce_spent'
    throw new LaneConflict(
      `nonce ${nonce} of ${sender} is spent, and the node shows no receipt of what this lane sent with it: ` +
        'another program signs with this key, or the node keeps receipts back',
    )
  }
  log.debug({ hash, nonce, waitedMs }, 'chain: not included yet, sending again')
  return offerOnce(sending, transaction)
}

/** @throws {NonceGap} the chain has lost what came before it */
async function isSpent({ nonces }: Sending, { nonce, hash }: SignedTransaction): Promise<boolean> {
  const next = await nonces.next()
  if (next < nonce) {
    throw new NonceGap(`${hash} has nonce ${nonce}, but the chain stands at ${next}`)
  }
  return next > nonce
}

async function isStuck({ rpc, stuckMs, patience }: Sending): Promise<boolean> {
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []))
  // Behind it: the chain went back, and the count begins anew.
  if (patience.fromBlock === undefined || head < patience.fromBlock) patience.fromBlock = head
  const waitedMs = performance.now() - (patience.since ?? 0)
  if (waitedMs < stuckMs || head - patience.fromBlock < STUCK_BLOCKS) return false
  delete patience.hash
  return true
}

/** Any of the attempts at one nonce may be the one that was mined; at most one is. */
export async function anyIncluded(
  rpc: Rpc,
  hashes: readonly TxHash[],
): Promise<RpcTransactionReceipt | undefined> {
  const receipts = await Promise.all(
    hashes.map((hash) =>
      rpc.call<RpcTransactionReceipt | null>('eth_getTransactionReceipt', [hash]),
    ),
  )
  return receipts.find((each) => each?.blockNumber) ?? undefined
}

async function receiptOfAny(
  { rpc, contracts, log }: Sending,
  hashes: readonly TxHash[],
): Promise<Receipt | undefined> {
  const receipt = await anyIncluded(rpc, hashes)
  if (!receipt) return undefined
  return {
    hash: toHex32(receipt.transactionHash),
    block: Number(receipt.blockNumber),
    succeeded: receipt.status === '0x1',
    gas: receipt.gasUsed === undefined ? undefined : Number(receipt.gasUsed),
    facts: decodeFacts(receipt.logs, contracts, log),
  }
}
