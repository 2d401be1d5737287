import { randomBytes } from 'node:crypto'
import { createPublicClient, type Hex } from 'viem'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { makeWalletCaller, type WalletCaller } from '../../fakes/chain/wallet-caller.ts'
import type { Network } from '../../network/network.ts'
import { balanceBecomes, type Customer, firstCustomer, newCustomer } from '../customer.ts'

/** A wallet that both asks for answers and does what it likes on chain. */
export interface MixedCaller {
  readonly network: Network
  readonly customer: Customer
  readonly wallet: WalletCaller
}

export interface Stranger {
  readonly wallet: WalletCaller
}

const COINS = `0x${(10n ** 20n).toString(16)}`

export async function giveGas(network: Network, to: readonly Address[]): Promise<void> {
  const rpc = makeRpc(network.rpc_url)
  try {
    for (const address of to) await rpc.call('anvil_setBalance', [address, COINS])
  } finally {
    await rpc.close()
  }
}

/** What one wallet, or somebody with nothing but gas, does on a network's chain. */
export function onChain(network: Network, privateKey: Hex): WalletCaller {
  const { job_escrow, usdg } = network.contracts
  return makeWalletCaller({
    rpcUrl: network.rpc_url,
    contracts: {
      chainId: network.chain_id,
      jobEscrow: toAddress(job_escrow),
      usdg: toAddress(usdg),
    },
    privateKey,
    withdrawalSigner: `0x${network.withdrawal_signer.private_key.slice(2)}`,
  })
}

export async function makeStranger(network: Network): Promise<Stranger> {
  const customer = await newCustomer(network)
  await giveGas(network, [customer.wallet])
  return { wallet: onChain(network, customer.privateKey) }
}

/** The wallet of the network, and one more for each other way in. The last one is nearly poor. */
export async function makeCallers(network: Network, credits: bigint): Promise<MixedCaller[]> {
  const stranger = await makeStranger(network)
  const newcomers = await Promise.all(Array.from({ length: 5 }, () => newCustomer(network)))
  await giveGas(
    network,
    newcomers.map(({ wallet }) => wallet),
  )
  const [first, ...others] = [firstCustomer(network), ...newcomers].map(
    (customer): MixedCaller => ({
      // Those who only know a network ask as the key says that it holds.
      network: { ...network, api_key: customer.apiKey },
      customer,
      wallet: onChain(network, customer.privateKey),
    }),
  )
  const [approved, permitted, authorized, swept, poor] = others
  await approved!.wallet.deposit(credits)
  await permitted!.wallet.depositWithPermit(credits)
  await authorized!.wallet.depositWithAuthorization(credits, salt())
  await swept!.wallet.payIn(credits * 10_000n + 7n)
  await unlessDone(() => stranger.wallet.sweep(swept!.customer.wallet))
  await poor!.wallet.deposit(100n)
  for (const { customer } of [approved!, permitted!, authorized!, swept!]) {
    await balanceBecomes(customer, Number(credits))
  }
  await balanceBecomes(poor!.customer, 100)
  return [first!, ...others]
}

export const salt = (): Hex => `0x${randomBytes(32).toString('hex')}`

/** What anyone may do, the service's own keeper may have done a moment before. */
export async function unlessDone(call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!/BelowMinimumDeposit|NothingToClaim|refused by the chain/.test(String(error))) throw error
  }
}

/** Seconds pass on the chain, and nowhere else. */
export async function elapseOnChain(network: Network, seconds: number): Promise<void> {
  const rpc = makeRpc(network.rpc_url)
  try {
    await rpc.call('evm_increaseTime', [seconds])
    await rpc.call('evm_mine', [])
  } finally {
    await rpc.close()
  }
}

export const readerOf = (network: Network) =>
  createPublicClient({ transport: headFollowing(network.rpc_url) })
