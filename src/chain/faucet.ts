import { encodeFunctionData, numberToHex } from 'viem'
import type { TokenUnits } from '../domain/credits.ts'
import type { Address } from '../domain/ids.ts'
import { ChainUnavailable, type Hex } from '../ports/escrow.ts'
import type { Faucet, WalletReader } from '../ports/web-chain.ts'
import { devUsdgAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import type { Rpc } from './json-rpc.ts'
import type { Sender } from './sender.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly reader: WalletReader
  readonly sender: Sender
}

/** 100 USDG: 10 000 credits. */
const TOKENS_FULL = 100_000_000n
const COIN_FULL_WEI = 10n ** 18n

/** Works on a development node with the development token only: nothing else would let it. */
export function makeFaucet({ rpc, contracts, reader, sender }: Options): Faucet {
  const fillCoin = async (wallet: Address) => {
    const held = BigInt(await rpc.call<Hex>('eth_getBalance', [wallet, 'latest']))
    if (held >= COIN_FULL_WEI / 2n) return
    const request = { method: 'anvil_setBalance', params: [wallet, numberToHex(COIN_FULL_WEI)] }
    await rpc.call<null>(request.method, request.params)
  }
  return {
    fund: async (wallet) => {
      await fillCoin(wallet)
      const held = await reader.tokensOf(wallet)
      if (held >= TOKENS_FULL) return { tx: null, held }
      const args = [wallet, TOKENS_FULL - held] as const
      const data = encodeFunctionData({ abi: devUsdgAbi, functionName: 'mint', args })
      const outcome = await sender.perform({ to: contracts.usdg, data })
      if (outcome.type === 'done') return { tx: outcome.tx, held: TOKENS_FULL as TokenUnits }
      throw new ChainUnavailable(`test funds were not minted: ${JSON.stringify(outcome, bare)}`)
    },
  }
}

const bare = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
