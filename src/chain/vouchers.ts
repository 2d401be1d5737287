import { decodeFunctionResult, encodeFunctionData } from 'viem'
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
import { callAtBlock, type SaidAtBlock } from './rpc/call-at-block.ts'
import { makeRpc, type Rpc } from './rpc/json-rpc.ts'

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
      const ask = callAtBlock(rpc, { to: escrow, data })
      for (let reads = 0; reads < READS_MAX; reads++) {
        const said = await ask()
        if (said) return toSeen(said)
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

function toSeen({ data, block }: SaidAtBlock): SeenVouchers {
  const about = { abi: jobEscrowAbi, functionName: 'withdrawalNonce' } as const
  const nonce = decodeFunctionResult({ ...about, data })
  return { nonce, block: Number(block.number), time: Number(block.timestamp) }
}
