import type { RpcBlock } from 'viem'
import { ChainUnavailable } from '../../ports/escrow.ts'
import type { Rpc } from './json-rpc.ts'

/** @throws {ChainUnavailable} also where the node has no block to tell of, as while it starts */
export async function headOf(rpc: Rpc): Promise<RpcBlock> {
  const block = await rpc.call<RpcBlock | null>('eth_getBlockByNumber', ['latest', false])
  if (!block?.hash) throw new ChainUnavailable('the node has no block yet')
  return block
}
