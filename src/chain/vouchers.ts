import { decodeFunctionResult, encodeFunctionData, type RpcBlock } from 'viem'
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
import { makeRpc, type Rpc, RpcError } from './rpc/json-rpc.ts'

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
      for (let reads = 0; reads < READS_MAX; reads++) {
        const seen = await readOnce(rpc, { to: escrow, data })
        if (seen) return seen
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

/** @returns undefined where the node had moved on before or during the read */
async function readOnce(
  rpc: Rpc,
  call: { readonly to: Hex; readonly data: Hex },
): Promise<SeenVouchers | undefined> {
  const head = await rpc.call<RpcBlock>('eth_getBlockByNumber', ['latest', false])
  try {
    const data = await rpc.call<Hex>('eth_call', [call, head.number])
    if ((await rpc.call<Hex>('eth_blockNumber', [])) !== head.number) return undefined
    const nonce = decodeFunctionResult({
      abi: jobEscrowAbi,
      functionName: 'withdrawalNonce',
      data,
    })
    return { nonce, block: Number(head.number), time: Number(head.timestamp) }
  } catch (error) {
    if (error instanceof RpcError) return undefined // pruned
    throw error
  }
}
