import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcTransactionReceipt } from 'viem'
import { LAG_MAX_MS } from '../domain/block-trail.ts'
import type { TxHash } from '../domain/ids.ts'
import type { DurationMs } from '../domain/time.ts'
import {
  ChainUnavailable,
  GasFundsMissing,
  type Hex,
  type SignedTransaction,
} from '../ports/escrow.ts'
import type { KeeperCall, KeeperOutcome, KeeperReader, KeeperWriter } from '../ports/keeper.ts'
import type { TransactionSigner } from '../ports/signer.ts'
import type { Log } from '../telemetry/log.ts'
import type { Call } from './calldata.ts'
import type { Contracts } from './contracts-file.ts'
import { dataOf, refusalOf, targetOf } from './keeper-calls.ts'
import { makeKeeperReader } from './read/keeper-reader.ts'
import { makeRpc, type Rpc, RpcError } from './rpc/json-rpc.ts'
import { askOfNextBlock } from './rpc/next-block.ts'
import { capFees, type Fees, raiseFees, readFees, readFeesInstead } from './send/fees.ts'
import { makeNonces, type Nonces } from './send/nonces.ts'
import { offer } from './send/offer.ts'

export interface KeeperOptions {
  readonly rpcUrl: string
  /** Asked in place of the node at `rpcUrl`. */
  readonly rpc?: Rpc
  readonly contracts: Contracts
  readonly signer: TransactionSigner
  readonly log: Log
  /** After so long without a block, a transaction is sent again with higher fees. */
  readonly replaceAfterMs?: DurationMs
}

export interface KeeperConnection {
  readonly reader: KeeperReader
  readonly writer: KeeperWriter
  close(): Promise<void>
}

const REPLACE_AFTER_MS = 15_000

/** A connection of its own, so that what it reads holds up no job. */
export function connectKeeper(options: KeeperOptions): KeeperConnection {
  const { rpcUrl, contracts, signer, log, replaceAfterMs = REPLACE_AFTER_MS } = options
  const { rpc = makeRpc(rpcUrl) } = options
  const nonces = makeNonces(rpc, signer.address)
  const sending: Sending = { rpc, contracts, signer, nonces, log, replaceAfterMs }
  return {
    reader: makeKeeperReader({ rpc, contracts, log }),
    writer: {
      address: signer.address,
      perform: (call, feeCeilingWei) => perform(sending, call, feeCeilingWei),
    },
    close: () => rpc.close(),
  }
}

/** What `performCall` sends with. */
export interface Sending {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly signer: TransactionSigner
  /** Of the signer. */
  readonly nonces: Nonces
  readonly log: Log
  readonly replaceAfterMs: DurationMs
}

const perform = (
  sending: Sending,
  keeperCall: KeeperCall,
  ceilingWei: bigint,
): Promise<KeeperOutcome> => {
  const about = { to: targetOf(keeperCall, sending.contracts), data: dataOf(keeperCall) }
  return performCall(sending, about, ceilingWei)
}

/**
 * One call in one transaction, from simulation to inclusion; one at a time. The calls are idempotent:
 * nothing is written down before it is sent.
 * @param ceilingWei most wei a unit of gas
 * @param sent told the hash of each attempt that the node has taken
 */
export async function performCall(
  sending: Sending,
  about: Pick<Call, 'to' | 'data'>,
  ceilingWei: bigint,
  sent: (hash: TxHash) => void = () => {},
): Promise<KeeperOutcome> {
  const { rpc, signer } = sending
  const estimate = await simulate(rpc, { from: signer.address, ...about })
  if (typeof estimate !== 'bigint') return estimate
  // The state may have moved a little by the time it is mined. Gas that is not used is not paid.
  const call: Call = { ...about, gas: (estimate * 5n) / 4n }
  const asked = await readFees(rpc)
  const feeWei = leastFee(asked)
  if (feeWei > ceilingWei) return { type: 'too_dear', feeWei }
  const fees = capFees(asked, ceilingWei)
  const neededWei = call.gas * fees.maxFeePerGas
  const balanceWei = BigInt(await rpc.call<Hex>('eth_getBalance', [signer.address, 'latest']))
  if (balanceWei < neededWei) return { type: 'unfunded', balanceWei, neededWei }
  return send(sending, call, { first: fees, ceilingWei, told: sent })
}

/** Twice the base fee and the tip are offered; once the base fee and the tip must be paid. */
const leastFee = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint =>
  (maxFeePerGas + maxPriorityFeePerGas) / 2n

/** @returns the gas that the call needs, or why it would be in vain */
async function simulate(
  rpc: Rpc,
  call: { readonly from: Hex; readonly to: Hex; readonly data: Hex },
): Promise<bigint | KeeperOutcome> {
  try {
    return BigInt(await askOfNextBlock<Hex>(rpc, 'eth_estimateGas', [call]))
  } catch (error) {
    const refusal = error instanceof RpcError ? refusalOf(error) : undefined
    if (refusal) return refusal
    throw error
  }
}

interface SendTerms {
  readonly first: Fees
  readonly ceilingWei: bigint
  readonly told: (hash: TxHash) => void
}

const POLL_MAX_MS = 250
/** A transaction that is not included by then, at any price allowed, is left to itself. */
const ATTEMPTS_MAX = 6

/**
 * Sends at the chain's next nonce and waits. What does not come into a block is replaced at the same
 * nonce with higher fees, and so is what an earlier life has left there.
 */
async function send(
  sending: Sending,
  call: Call,
  { first, ceilingWei, told }: SendTerms,
): Promise<KeeperOutcome> {
  const { rpc, contracts, signer, nonces, log } = sending
  const nonce = await nonces.next()
  const sent: SignedTransaction[] = []
  // Of another process or of an earlier life, and somebody may have been told its hash: it has its time, too,
  // before it is pushed out.
  const isTaken = (await nextNonceOf(sending)) > nonce
  const before = isTaken ? await outcomeOf(sending, nonce, sent, true) : undefined
  if (before) return before
  let fees = first
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { chainId } = contracts
    const transaction = await signer.sign({ chainId, nonce, ...call, ...fees })
    const offered = await offer(rpc, transaction, signer.address).catch((error: unknown) => {
      if (error instanceof GasFundsMissing) return 'unfunded'
      throw error
    })
    if (offered === 'unfunded') return unfunded(sending, call, fees)
    if (offered === 'taken') {
      sent.push(transaction)
      told(transaction.hash)
    }
    // Outbid: another one came in between.
    const waits = offered === 'taken' || (offered === 'outbid' && !isTaken)
    const outcome = await outcomeOf(sending, nonce, sent, waits)
    if (outcome) return outcome
    const raised = raiseFees(fees, await readFeesInstead(rpc), ceilingWei)
    if (raised !== 'capped') fees = raised
    log.debug({ nonce, attempt, offered, maxFeeWei: fees.maxFeePerGas }, 'keeper: not included yet')
  }
  throw new ChainUnavailable(`nonce ${nonce} of ${signer.address} is not included yet`)
}

/** With what waits in the node's pool, as far as it tells. */
const nextNonceOf = async ({ rpc, signer }: Sending): Promise<number> =>
  Number(await askOfNextBlock<Hex>(rpc, 'eth_getTransactionCount', [signer.address]))

async function unfunded({ rpc, signer }: Sending, call: Call, fees: Fees): Promise<KeeperOutcome> {
  const balanceWei = BigInt(await rpc.call<Hex>('eth_getBalance', [signer.address, 'latest']))
  return { type: 'unfunded', balanceWei, neededWei: call.gas * fees.maxFeePerGas }
}

/**
 * @param waits whether something of the nonce is in the node's pool
 * @returns undefined where nothing of the nonce is in a block after a while
 */
async function outcomeOf(
  { rpc, nonces, replaceAfterMs }: Sending,
  nonce: number,
  sent: readonly SignedTransaction[],
  waits: boolean,
): Promise<KeeperOutcome | undefined> {
  // What is not in the node's pool, nor anything in its place, needs no waiting but for those before it.
  const endsAt = performance.now() + (waits ? replaceAfterMs : 0)
  let spentAt: number | undefined
  for (let waitMs = 1; ; waitMs = Math.min(POLL_MAX_MS, waitMs * 2)) {
    const isSpent = (await nonces.told()) > nonce
    for (const { hash } of sent) {
      const receipt = await receiptOf(rpc, hash)
      if (receipt?.blockNumber) nonces.spent(nonce)
      if (receipt?.status === '0x1') return { type: 'done', tx: hash }
      // Simulated a moment ago: somebody else was faster.
      if (receipt?.blockNumber) return { type: 'needless', reason: 'reverted in its block' }
    }
    const now = performance.now()
    if (!isSpent && now >= endsAt) return undefined
    if (isSpent) {
      spentAt ??= now
      // What was sent from here may be what took it: a node that lags has no receipt of it yet.
      if (sent.length === 0 || now - spentAt >= LAG_MAX_MS) {
        return { type: 'needless', reason: 'the nonce was used by another transaction' }
      }
    }
    await sleep(waitMs)
  }
}

const receiptOf = (rpc: Rpc, hash: Hex) =>
  rpc.call<RpcTransactionReceipt | null>('eth_getTransactionReceipt', [hash])
