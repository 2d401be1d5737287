import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcTransactionReceipt } from 'viem'
import { toHex32 } from '../domain/ids.ts'
import type { Lane } from '../messages/subjects.ts'
import {
  ChainUnavailable,
  type EscrowWriter,
  type Hex,
  LaneConflict,
  NonceGap,
  type Receipt,
  type SignedTransaction,
} from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import { callOf } from './calldata.ts'
import type { Contracts } from './contracts-file.ts'
import { decodeFacts } from './facts.ts'
import { makeFees } from './fees.ts'
import { makeRpc, type Rpc, RpcError } from './json-rpc.ts'
import { makeSigner, type Signer } from './transaction.ts'

export interface WriterOptions {
  readonly rpcUrl: string
  readonly contracts: Contracts
  readonly keys: Readonly<Record<Lane, Hex>>
  readonly log: Log
}

export interface ClosableWriter extends EscrowWriter {
  close(): Promise<void>
}

/** Writes to JobEscrow and WorkerStaking with the lanes' keys. */
export function makeEscrowWriter({ rpcUrl, contracts, keys, log }: WriterOptions): ClosableWriter {
  const rpc = makeRpc(rpcUrl)
  const fees = makeFees(rpc, log)
  const signers: Readonly<Record<Lane, Signer>> = {
    lock: makeSigner(contracts.chainId, keys.lock),
    settle: makeSigner(contracts.chainId, keys.settle),
  }
  return {
    nonce: (lane) => nonceOf(rpc, signers[lane].address),
    sign: async (lane, nonce, batch) =>
      signers[lane].sign(nonce, callOf(batch, contracts), await fees()),
    send: (lane, transaction, broadcast) =>
      send({ rpc, contracts, log, sender: signers[lane] }, transaction, broadcast),
    close: () => rpc.close(),
  }
}

const nonceOf = async (rpc: Rpc, sender: Hex): Promise<number> =>
  Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, 'latest']))

interface Sending {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly sender: Signer
  readonly log: Log
}

/** A receipt that is not there after this long will not come at once: who called tries again. */
const INCLUSION_MS = 60_000
const POLL_MAX_MS = 250
/** How often a transaction that is not included is looked after: its nonce, its place in the pool. */
const LOOK_AFTER_MS = 1_000
/** Nodes behind one address may lag: a spent nonce without a receipt is believed only then. */
const RECEIPT_LAG_MS = 3_000

/**
 * The plain way, hash first and receipt by polling: `eth_sendRawTransactionSync` was measured to be
 * no faster on a local node, and it would tell of the broadcast only with the block.
 */
async function send(
  sending: Sending,
  transaction: SignedTransaction,
  broadcast: () => void,
): Promise<Receipt> {
  const offered = await offer(sending.rpc, transaction)
  if (offered === 'taken') broadcast()
  const startedAt = performance.now()
  let lookAfterAt = startedAt + LOOK_AFTER_MS
  for (let waitMs = 1; ; waitMs = Math.min(POLL_MAX_MS, waitMs * 2)) {
    const receipt = await receiptOf(sending, transaction)
    if (receipt) {
      if (offered === 'nonce_spent') broadcast()
      return receipt
    }
    const now = performance.now()
    if (now - startedAt > INCLUSION_MS) {
      throw new ChainUnavailable(`${transaction.hash} is not included yet`)
    }
    if (now >= lookAfterAt) {
      await lookAfter(sending, transaction, now - startedAt)
      lookAfterAt = performance.now() + LOOK_AFTER_MS
    }
    await sleep(waitMs)
  }
}

const KNOWN = /already (known|imported|exists)|known transaction|already in/i
const NONCE_SPENT = /nonce (is )?too low|nonce .*already|old nonce/i
const NONCE_AHEAD = /nonce (is )?too high|nonce gap/i

/** Hands the bytes to the node. What it already has, or has already included, is no error. */
async function offer(
  rpc: Rpc,
  { raw, nonce }: SignedTransaction,
): Promise<'taken' | 'nonce_spent'> {
  try {
    await rpc.call<Hex>('eth_sendRawTransaction', [raw])
    return 'taken'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (KNOWN.test(error.reason)) return 'taken'
    if (NONCE_SPENT.test(error.reason)) return 'nonce_spent'
    if (NONCE_AHEAD.test(error.reason)) throw new NonceGap(`nonce ${nonce} is ahead of the chain`)
    throw error
  }
}

/** Finds out why a transaction is not included; sends it again where the node has dropped it. */
async function lookAfter(
  { rpc, sender, log }: Sending,
  transaction: SignedTransaction,
  waitedMs: number,
): Promise<void> {
  const { nonce, hash } = transaction
  const next = await nonceOf(rpc, sender.address)
  if (next < nonce) {
    throw new NonceGap(`${hash} has nonce ${nonce}, but the chain stands at ${next}`)
  }
  if (next > nonce) {
    if (waitedMs < RECEIPT_LAG_MS) return
    throw new LaneConflict(`nonce ${nonce} of ${sender.address} was used by another than ${hash}`)
  }
  log.debug({ hash, nonce, waitedMs }, 'chain: not included yet, sending again')
  await offer(rpc, transaction)
}

async function receiptOf(
  { rpc, contracts, log }: Sending,
  { hash }: SignedTransaction,
): Promise<Receipt | undefined> {
  const receipt = await rpc.call<RpcTransactionReceipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt?.blockNumber) return undefined
  return {
    hash: toHex32(receipt.transactionHash),
    block: Number(receipt.blockNumber),
    succeeded: receipt.status === '0x1',
    facts: decodeFacts(receipt.logs, contracts, log),
  }
}
