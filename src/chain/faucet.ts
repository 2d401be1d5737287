import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import type { TokenUnits } from '../domain/credits.ts'
import type { Address, TxHash } from '../domain/ids.ts'
import { ChainUnavailable, type Hex } from '../ports/escrow.ts'
import type { Faucet, WalletReader } from '../ports/web-chain.ts'
import { devUsdgAbi, rComputeAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import type { Rpc } from './rpc/json-rpc.ts'
import type { Sender } from './sender.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly reader: WalletReader
  readonly sender: Sender
  /** The sender's own, which holds what it gives of the governance token. */
  readonly stock: Address
}

/** 100 USDG: 10 000 credits. */
const TOKENS_FULL = 100_000_000n
/** More than a proposal needs of votes, and more than a quorum: 50 million RCOMPUTE. */
const COMPUTE_FULL = 50_000_000n * 10n ** 18n
const COIN_FULL_WEI = 10n ** 18n

/** Works on a development node with the development token only: nothing else would let it. */
export function makeFaucet({ rpc, contracts, reader, sender, stock }: Options): Faucet {
  const { usdg, rCompute } = contracts

  const fillCoin = async (wallet: Address) => {
    const held = BigInt(await rpc.call<Hex>('eth_getBalance', [wallet, 'latest']))
    if (held >= COIN_FULL_WEI / 2n) return
    const request = { method: 'anvil_setBalance', params: [wallet, numberToHex(COIN_FULL_WEI)] }
    await rpc.call<null>(request.method, request.params)
  }
  const send = async (to: Address, data: Hex): Promise<TxHash> => {
    const outcome = await sender.perform({ to, data })
    if (outcome.type === 'done') return outcome.tx
    throw new ChainUnavailable(`test funds were not sent: ${JSON.stringify(outcome, bare)}`)
  }
  const computeOf = async (holder: Address): Promise<bigint> => {
    const call = { abi: rComputeAbi, functionName: 'balanceOf' } as const
    const request = { to: rCompute, data: encodeFunctionData({ ...call, args: [holder] }) }
    return decodeFunctionResult({ ...call, data: await rpc.call('eth_call', [request, 'latest']) })
  }
  const fillTokens = async (wallet: Address): Promise<TxHash | null> => {
    const held = await reader.tokensOf(wallet)
    if (held >= TOKENS_FULL) return null
    const args = [wallet, TOKENS_FULL - held] as const
    return send(usdg, encodeFunctionData({ abi: devUsdgAbi, functionName: 'mint', args }))
  }
  /** Who has some keeps what it has: staked or given away, it is not filled up for ever. */
  const giveCompute = async (wallet: Address): Promise<void> => {
    const [held, left] = await Promise.all([computeOf(wallet), computeOf(stock)])
    const share = left < COMPUTE_FULL ? left : COMPUTE_FULL
    if (held > 0n || share === 0n) return
    const args = [wallet, share] as const
    await send(rCompute, encodeFunctionData({ abi: rComputeAbi, functionName: 'transfer', args }))
  }

  return {
    fund: async (wallet) => {
      await fillCoin(wallet)
      const tx = await fillTokens(wallet)
      await giveCompute(wallet)
      return { tx, held: (await reader.tokensOf(wallet)) as TokenUnits }
    },
  }
}

const bare = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
