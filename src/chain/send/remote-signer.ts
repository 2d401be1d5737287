import { numberToHex, parseTransaction, type TransactionSerializableEIP1559 } from 'viem'
import type { Address, Hex32 } from '../../domain/ids.ts'
import { type CompactSignature, recover } from '../../domain/proof.ts'
import { ChainUnavailable, type Hex, type SignedTransaction } from '../../ports/escrow.ts'
import {
  SignerUnavailable,
  type TransactionSigner,
  type UnsignedTransaction,
} from '../../ports/signer.ts'
import { makeRpc, type Rpc, RpcError } from '../rpc/json-rpc.ts'
import { encodeTransaction } from './transaction.ts'

export interface RemoteSigner extends TransactionSigner {
  close(): Promise<void>
}

const METHOD_NOT_FOUND = -32_601

/**
 * Signs with a key that another program keeps, over JSON-RPC: `eth_signTransaction` as Web3Signer
 * has it, `account_signTransaction` as clef does. What comes back is believed only where it is, to
 * the byte, what was asked for.
 */
export function makeRemoteSigner(url: string, address: Address): RemoteSigner {
  const rpc = makeRpc(url)
  return {
    address,
    sign: async (transaction) => {
      const answer = await ask(rpc, requestOf(transaction, address)).catch((error: unknown) => {
        if (!(error instanceof ChainUnavailable)) throw error
        throw new SignerUnavailable(`the signer of ${address}: ${error.message}`, { cause: error })
      })
      const raw = typeof answer === 'string' ? answer : answer?.raw
      const signed = typeof raw === 'string' ? check(raw as Hex, transaction, address) : 'no bytes'
      if (typeof signed !== 'string') return signed
      throw new SignerUnavailable(
        `the signer of ${address} returned another transaction than it was asked for: ${signed}; ` +
          'look at its configuration (chain id, key of this address)',
      )
    },
    close: () => rpc.close(),
  }
}

type Answer = Hex | { readonly raw?: unknown } | null

async function ask(rpc: Rpc, request: object): Promise<Answer> {
  try {
    return await rpc.call<Answer>('eth_signTransaction', [request])
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== METHOD_NOT_FOUND) throw error
    return rpc.call<Answer>('account_signTransaction', [request])
  }
}

const requestOf = (transaction: UnsignedTransaction, from: Address) => ({
  from,
  to: transaction.to,
  data: transaction.data,
  value: '0x0',
  nonce: numberToHex(transaction.nonce),
  gas: numberToHex(transaction.gas),
  maxFeePerGas: numberToHex(transaction.maxFeePerGas),
  maxPriorityFeePerGas: numberToHex(transaction.maxPriorityFeePerGas),
  chainId: numberToHex(transaction.chainId),
})

/** @returns the transaction, or what is wrong with it */
function check(raw: Hex, asked: UnsignedTransaction, address: Address): SignedTransaction | string {
  const given = parse(raw)
  if (!given) return 'these bytes are no EIP-1559 transaction'
  const encoded = encodeTransaction(asked)
  const signature = signatureOf(given)
  const signed = signature && encoded.withSignature(signature)
  // Made anew from what was asked for and their signature alone.
  if (signed?.raw !== raw.toLowerCase()) return `its ${differenceOf(given, asked)} differs`
  const signer = recover(encoded.digest, signature!)
  return signer === address ? signed : `it is signed by ${signer ?? 'nobody'}`
}

function parse(raw: Hex): TransactionSerializableEIP1559 | undefined {
  try {
    const parsed = parseTransaction(raw)
    return parsed.type === 'eip1559' ? parsed : undefined
  } catch {
    return undefined // viem throws for bytes that it cannot read
  }
}

function signatureOf({ r, s, yParity }: TransactionSerializableEIP1559) {
  if (r === undefined || s === undefined) return undefined
  const vs = BigInt(s) | (BigInt(yParity ?? 0) << 255n)
  const signature: CompactSignature = { r: word(BigInt(r)), vs: word(vs) }
  return signature
}

const word = (value: bigint): Hex32 => `0x${value.toString(16).padStart(64, '0')}` as Hex32

const FIELDS = ['chainId', 'nonce', 'data', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const

function differenceOf(given: TransactionSerializableEIP1559, asked: UnsignedTransaction): string {
  if (given.to?.toLowerCase() !== asked.to) return 'recipient'
  if (given.value) return 'value'
  // The parser leaves out what is zero.
  return FIELDS.find((field) => BigInt(given[field] ?? 0) !== BigInt(asked[field])) ?? 'encoding'
}
