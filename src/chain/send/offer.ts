import type { Address } from '../../domain/ids.ts'
import {
  BatchTooLarge,
  GasFundsMissing,
  type Hex,
  NonceGap,
  type SignedTransaction,
} from '../../ports/escrow.ts'
import { type Rpc, RpcError } from '../rpc/json-rpc.ts'

/** What a node made of the bytes that it was handed. */
export type Offered =
  /** In its pool, now or before. */
  | 'taken'
  /** A transaction of this nonce is in a block: this one, or another. */
  | 'nonce_spent'
  /** Its pool holds another transaction of this nonce, for about as much or more. */
  | 'outbid'
  /** It does not take any transaction for so little. */
  | 'underpriced'

/** The words of geth, erigon, nethermind, besu (and Linea's), reth, zkSync, hardhat and anvil. */
const KNOWN =
  /already ?(known|imported|exists)|known transaction|already in|existing tx with same hash/i
const NONCE_SPENT = /nonce (is )?too low|nonce .*already|old ?nonce/i
const NONCE_AHEAD = /nonce (is )?too (high|distant|far)|nonce ?gap|NonceTooFarInFuture/i
const OUTBID = /replacement|could not replace|existing tx with same nonce/i
const TOO_LARGE = new RegExp(
  [
    'exceeds (the )?block.?s? gas ?limit|greater than the block|block gas limit',
    'intrinsic gas|floor data gas|CallGasCostMoreThanGasLimit',
    'gas ?limit.*(too (high|large|big)|exceed)|GasLimitExceeded|exceeds maximum per-transaction gas',
    'oversized data|rlp too long|TxSizeExceeded|calldata of transaction is greater|line count for module',
    // What one transaction may pay, 1 coin for many: half of the items ask for half of it.
    'fee.*exceeds the configured cap|fee cap exceeded',
  ].join('|'),
  'i',
)
const NO_FUNDS =
  /insufficient ?(funds|balance)|upfront.?cost.?exceeds|exceeds.*(account|sender).?balance|lack of funds|(not|n.t have) enough (funds|balance)|overdraft/i
const UNDERPRICED =
  /underpriced|(gas price|fee)[^.]*(too ?low|below|less than)|(below|less than) [^.]*base ?fee/i

/**
 * Hands the bytes to the node. What it already has, or has already included, is no error.
 * @throws {NonceGap} {@link BatchTooLarge} {@link GasFundsMissing} {@link RpcError}
 */
export async function offer(
  rpc: Rpc,
  { raw, nonce }: SignedTransaction,
  sender: Address,
): Promise<Offered> {
  try {
    await rpc.call<Hex>('eth_sendRawTransaction', [raw])
    return 'taken'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const answer = readRefusal(error.reason)
    switch (answer) {
      case 'nonce_ahead':
        throw new NonceGap(`nonce ${nonce} is ahead of the chain`)
      case 'too_large':
        throw new BatchTooLarge(`the node does not take so much at a time: ${error.reason}`)
      case 'no_funds':
        throw new GasFundsMissing(await whatToSend(rpc, sender, error.reason))
      case 'unknown':
        throw error
      default:
        return answer
    }
  }
}

type Refused = Offered | 'nonce_ahead' | 'too_large' | 'no_funds' | 'unknown'

/** Of an error of `eth_sendRawTransaction`, in any of the nodes' words. */
export function readRefusal(reason: string): Refused {
  if (KNOWN.test(reason)) return 'taken'
  if (NONCE_SPENT.test(reason)) return 'nonce_spent'
  if (NONCE_AHEAD.test(reason)) return 'nonce_ahead'
  if (OUTBID.test(reason)) return 'outbid'
  if (NO_FUNDS.test(reason)) return 'no_funds'
  if (TOO_LARGE.test(reason)) return 'too_large'
  return UNDERPRICED.test(reason) ? 'underpriced' : 'unknown'
}

async function whatToSend(rpc: Rpc, sender: Address, reason: string): Promise<string> {
  const balance = BigInt(await rpc.call<Hex>('eth_getBalance', [sender, 'latest']))
  return (
    `${sender} holds ${coins(balance)} of the chain's coin, too little for gas: send it some, and ` +
    `the lane goes on by itself (the node says: ${reason})`
  )
}

const WEI_DIGITS = 18
/** Wei in whole coins, without rounding: 1.5, 0.000001. */
function coins(wei: bigint): string {
  const digits = wei.toString().padStart(WEI_DIGITS + 1, '0')
  const fraction = digits.slice(-WEI_DIGITS).replace(/0+$/, '')
  return digits.slice(0, -WEI_DIGITS) + (fraction ? `.${fraction}` : '')
}
