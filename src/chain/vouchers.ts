import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { toAddress } from '../domain/ids.ts'
import {
  domainSeparator,
  expandSignature,
  privateKeyAddress,
  sign,
  withdrawalDigest,
} from '../domain/proof.ts'
import { assert } from '../domain/result.ts'
import { ChainUnavailable, type Hex } from '../ports/escrow.ts'
import type { SeenVouchers } from '../ports/set-asides.ts'
import type { Vouchers } from '../ports/vouchers.ts'
import { jobEscrowAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import type { RoleKeys } from './read/roles.ts'
import { headOf } from './rpc/head.ts'
import { makeRpc, type Rpc, RpcError } from './rpc/json-rpc.ts'
import { blockOf } from './rpc/new-logs.ts'

interface Options {
  readonly rpcUrl: string
  /** Asked in place of the node at `rpcUrl`. */
  readonly rpc?: Rpc
  readonly contracts: Contracts
  /** Undefined: this host signs none. */
  readonly privateKey: Hex | undefined
}

export interface ClosableVouchers extends Vouchers {
  /** The key that signs them, where one does. */
  readonly keys: RoleKeys
  close(): Promise<void>
}

const NOBODY = toAddress(`0x${'00'.repeat(20)}`)
const READS_MAX = 10
/** So often the head may move during a read before the block behind it is read, as an account is. */
const MOVES_MAX = 3

/** The escrow's withdrawal vouchers, signed with the operator's key for them. */
export function makeVouchers(options: Options): ClosableVouchers {
  const { rpcUrl, contracts, privateKey } = options
  const { chainId, jobEscrow: escrow, usdg } = contracts
  const { rpc = makeRpc(rpcUrl) } = options
  const separator = domainSeparator({ name: 'JobEscrow', chainId, contract: escrow })
  const key = privateKey && Buffer.from(privateKey.slice(2), 'hex')
  return {
    offered: key !== undefined,
    keys: key ? { WITHDRAWAL_SIGNER: privateKeyAddress(key) } : {},
    neverPaid: new Set([NOBODY, escrow, usdg]),
    escrow,
    chainId,
    read: async (wallet) => {
      const data = encodeFunctionData({
        abi: jobEscrowAbi,
        functionName: 'withdrawalNonce',
        args: [wallet],
      })
      let moves = 0
      let keepsHistory = true
      for (let reads = 0; reads < READS_MAX; reads++) {
        const isPast = keepsHistory && moves >= MOVES_MAX
        const seen = await readOnce(rpc, { to: escrow, data }, isPast)
        if (typeof seen !== 'string') return seen
        if (seen === 'moved') moves++
        else if (isPast) keepsHistory = false
      }
      throw new ChainUnavailable(`the chain moved on during each of ${READS_MAX} reads; ask again`)
    },
    sign: (voucher) => {
      assert(key, 'vouchers are signed where they are offered')
      return expandSignature(sign(withdrawalDigest(separator, voucher), key))
    },
    close: () => rpc.close(),
  }
}

type Read = SeenVouchers | 'moved' | 'pruned'

/** @param isPast the block behind the head, whose state no node mixes up with what it mines */
async function readOnce(
  rpc: Rpc,
  call: { readonly to: Hex; readonly data: Hex },
  isPast: boolean,
): Promise<Read> {
  const head = await headOf(rpc)
  const number = Number(head.number) - (isPast ? 1 : 0)
  const ask = () => rpc.call<Hex>('eth_call', [call, numberToHex(number)])
  try {
    const [data, block] = isPast
      ? await Promise.all([ask(), blockOf(rpc, number)])
      : [await ask(), await headOf(rpc)]
    if (!block || block.hash !== (isPast ? head.parentHash : head.hash)) return 'moved'
    const nonce = decodeFunctionResult({
      abi: jobEscrowAbi,
      functionName: 'withdrawalNonce',
      data,
    })
    return { nonce, block: number, time: Number(block.timestamp) }
  } catch (error) {
    if (error instanceof RpcError) return 'pruned'
    throw error
  }
}
