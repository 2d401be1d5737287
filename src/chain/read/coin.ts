import type { Address } from '../../domain/ids.ts'
import type { Hex } from '../../ports/escrow.ts'
import type { Rpc } from '../rpc/json-rpc.ts'

const WEI_PER_COIN = 1e18

/** What an address holds of the chain's coin, in whole coins. @throws {ChainUnavailable} */
export async function coinOf(rpc: Rpc, address: Address): Promise<number> {
  const wei = await rpc.call<Hex>('eth_getBalance', [address, 'latest'])
  return Number(BigInt(wei)) / WEI_PER_COIN
}
