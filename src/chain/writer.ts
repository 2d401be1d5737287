import { parseTransaction } from 'viem'
import { type Address, toAddress } from '../domain/ids.ts'
import { recover } from '../domain/proof.ts'
import type { Lane } from '../messages/subjects.ts'
import {
  type Batch,
  BatchTooLarge,
  type EscrowWriter,
  type SignedTransaction,
} from '../ports/escrow.ts'
import type { TransactionSigner, UnsignedTransaction } from '../ports/signer.ts'
import type { Log } from '../telemetry/log.ts'
import { callOf } from './calldata.ts'
import type { Contracts } from './contracts-file.ts'
import { requireRole } from './read/roles.ts'
import { makeCached } from './rpc/cached.ts'
import { headOf } from './rpc/head.ts'
import { makeRpc, type Rpc } from './rpc/json-rpc.ts'
import { capFees, type Fees, makeFees, raiseFees, readFeesInstead } from './send/fees.ts'
import { gasMax, itemsThatFit } from './send/gas.ts'
import { LookPace } from './send/look-pace.ts'
import { makeNonces } from './send/nonces.ts'
import { anyIncluded, type Sending, send } from './send/send.ts'
import { compactSignature, encodeTransaction } from './send/transaction.ts'

export interface WriterOptions {
  readonly rpcUrl: string
  /** Asked in place of the node at `rpcUrl`. */
  readonly rpc?: Rpc
  readonly contracts: Contracts
  readonly signers: Readonly<Record<Lane, TransactionSigner>>
  readonly log: Log
  readonly terms: GasTerms
}

/** What an operator pays, and how long they wait before they pay more. */
export interface GasTerms {
  /** The most per unit of gas. */
  readonly maxFeeWei: bigint
  readonly stuckMs: number
  /** Of the fixed formula for gas limits. */
  readonly gasPercent: number
}

export interface ClosableWriter extends EscrowWriter {
  close(): Promise<void>
}

const ROLES = { lock: 'LOCKER', settle: 'SETTLER' } as const satisfies Record<Lane, string>
const BLOCK_GAS_FRESH_MS = 30_000
const BLOCK_GAS_USABLE_MS = 600_000

/** Writes to JobEscrow and WorkerStaking in the lanes' names. */
export function makeEscrowWriter(options: WriterOptions): ClosableWriter {
  const { rpcUrl, rpc = makeRpc(rpcUrl), contracts, signers, log } = options
  const { maxFeeWei, stuckMs, gasPercent } = options.terms
  const fees = makeFees(rpc, log)
  const blockGas = makeCached({
    what: 'block gas limit',
    read: () => readBlockGas(rpc),
    freshMs: BLOCK_GAS_FRESH_MS,
    usableMs: BLOCK_GAS_USABLE_MS,
    log,
  })
  const sending = (lane: Lane): Sending => {
    const sender = signers[lane].address
    const nonces = makeNonces(rpc, sender)
    return { rpc, contracts, sender, nonces, log, stuckMs, patience: {}, pace: new LookPace() }
  }
  const sendings: Readonly<Record<Lane, Sending>> = {
    lock: sending('lock'),
    settle: sending('settle'),
  }

  return {
    nonce: (lane) => sendings[lane].nonces.next(),
    isOwn: (lane, transaction) => senderOf(transaction) === signers[lane].address,
    itemsMax: (type) => itemsThatFit(type, gasMax(blockGas.known), gasPercent),
    sign: async (lane, nonce, batch) => {
      const call = callOf(batch, contracts, gasPercent)
      refuseTooLarge(batch, call.gas, await blockGas.get())
      const capped = capFees(await fees(), maxFeeWei)
      return signers[lane].sign({ chainId: contracts.chainId, nonce, ...call, ...capped })
    },
    replace: async (lane, transaction) => {
      const { fees: former, ...same } = parseOwn(transaction)
      const raised = raiseFees(former, await readFeesInstead(rpc), maxFeeWei)
      return raised === 'capped' ? raised : signers[lane].sign({ ...same, ...raised })
    },
    requireRole: (lane) => requireRole({ rpc, contracts }, ROLES[lane], signers[lane].address),
    send: (lane, offer, broadcast) => send(sendings[lane], offer, broadcast),
    isIncluded: async ({ transaction, earlier }) =>
      (await anyIncluded(rpc, [transaction.hash, ...earlier])) !== undefined,
    close: () => rpc.close(),
  }
}

const readBlockGas = async (rpc: Rpc): Promise<bigint> => BigInt((await headOf(rpc)).gasLimit)

/** One item alone is tried all the same: there is nothing to split. */
function refuseTooLarge({ type, items }: Batch, gas: bigint, blockGas: bigint): void {
  const most = gasMax(blockGas)
  if (gas <= most || items.length === 1) return
  throw new BatchTooLarge(
    `${items.length} items (${type}) ask for ${gas} gas, a transaction here may for ${most}`,
  )
}

/** Undefined: its signature is none. */
function senderOf(transaction: SignedTransaction): Address | undefined {
  const { fees, ...unsigned } = parseOwn(transaction)
  const { r, s, yParity } = parseTransaction(transaction.raw as `0x02${string}`)
  if (!r || !s || yParity === undefined) return undefined
  return recover(
    encodeTransaction({ ...unsigned, ...fees }).digest,
    compactSignature(r, s, yParity),
  )
}

/** A lane's own transaction, taken apart: its call is kept to the byte. */
function parseOwn({ raw, nonce }: SignedTransaction): Omit<UnsignedTransaction, keyof Fees> & {
  readonly fees: Fees
} {
  const { chainId, to, data = '0x', gas = 0n, ...rest } = parseTransaction(raw as `0x02${string}`)
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = rest
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  return { chainId, nonce, to: toAddress(to ?? ''), data, gas, fees }
}
