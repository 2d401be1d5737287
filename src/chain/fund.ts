import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, createWalletClient, type Hex, type PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Credits, creditsToUnits, toCredits } from '../domain/credits.ts'
import { type Address, toAddress } from '../domain/ids.ts'
import { devUsdgAbi, jobEscrowAbi, rComputeAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import { headFollowing } from './rpc/moving-head.ts'
import { receiptOf } from './rpc/receipt.ts'

export interface FundOptions {
  readonly rpcUrl: string
  readonly contracts: Pick<Contracts, 'jobEscrow' | 'usdg'>
  /** Pays for gas, mints the development token to itself and deposits it for itself. */
  readonly walletPrivateKey: Hex
  readonly credits: Credits
}

export interface FundReply {
  readonly funded: boolean
  /** What the wallet can spend, by the chain. */
  readonly available: Credits
}

const POLLING_MS = 50
/** Of a transaction: longer than a slow chain takes for a block. */
const INCLUDED_MS = 180_000

/**
 * Buys credits for a development wallet the way any wallet does: approve, then deposit. A wallet
 * that ever deposited keeps what it has, so a repeated call changes nothing.
 * @throws when the chain refuses a transaction
 */
export async function fundWallet(options: FundOptions): Promise<FundReply> {
  const { jobEscrow } = options.contracts
  const chain = connect(options)
  const before = await chain.account(jobEscrow)
  if (before.everDeposited) return { funded: false, available: before.available }

  await chain.buy(options.contracts, options.credits)
  return { funded: true, available: (await chain.account(jobEscrow)).available }
}

function connect({ rpcUrl, walletPrivateKey }: FundOptions) {
  const account = privateKeyToAccount(walletPrivateKey)
  const wallet = account.address
  const reader = createPublicClient({ transport: headFollowing(rpcUrl) })
  const writer = createWalletClient({ account, transport: headFollowing(rpcUrl) })

  const included = (hash: Hex) => untilIncluded(reader, hash)

  return {
    async account(jobEscrow: Address) {
      const [available, , , lastDepositAt] = await reader.readContract({
        address: jobEscrow,
        abi: jobEscrowAbi,
        functionName: 'accounts',
        args: [wallet],
      })
      return { available: toCredits(available), everDeposited: lastDepositAt > 0 }
    },

    async buy({ jobEscrow, usdg }: FundOptions['contracts'], credits: Credits): Promise<void> {
      const units = creditsToUnits(credits)
      const token = { address: usdg, abi: devUsdgAbi, chain: null } as const
      const escrow = { address: jobEscrow, abi: jobEscrowAbi, chain: null } as const
      await included(
        await writer.writeContract({ ...token, functionName: 'mint', args: [wallet, units] }),
      )
      await included(
        await writer.writeContract({ ...token, functionName: 'approve', args: [jobEscrow, units] }),
      )
      await included(
        await writer.writeContract({ ...escrow, functionName: 'deposit', args: [wallet, credits] }),
      )
    },
  }
}

export interface ShareOptions {
  readonly rpcUrl: string
  readonly contracts: Pick<Contracts, 'rCompute'>
  /** Holds the token and pays for gas. */
  readonly holderPrivateKey: Hex
  readonly to: Address
}

/**
 * Gives half of what the holder has of the governance token to an address that has none of it, and
 * nothing to one that has some, so that a repeated call changes nothing.
 * @returns what the address holds afterwards, in units of 18 decimals
 * @throws when the chain refuses the transaction
 */
export async function shareCompute(options: ShareOptions): Promise<bigint> {
  const { rpcUrl, contracts, holderPrivateKey, to } = options
  const account = privateKeyToAccount(holderPrivateKey)
  const transport = headFollowing(rpcUrl)
  const reader = createPublicClient({ transport })
  const writer = createWalletClient({ account, transport })
  const token = { address: contracts.rCompute, abi: rComputeAbi } as const
  const holds = (address: Address) =>
    reader.readContract({ ...token, functionName: 'balanceOf', args: [address] })
  const [held, stock] = await Promise.all([holds(to), holds(toAddress(account.address))])
  if (held > 0n || stock < 2n) return held
  const args = [to, stock / 2n] as const
  const hash = await writer.writeContract({ ...token, functionName: 'transfer', args, chain: null })
  await untilIncluded(reader, hash)
  return stock / 2n
}

/**
 * Asked for by the receipt alone. viem's own wait looks once a block, and gives up where a block is there before
 * its receipts: on a chain that makes a block of each transaction no other block may follow.
 * @throws when the transaction failed, or is in no block for three minutes
 */
async function untilIncluded(reader: PublicClient, hash: Hex): Promise<void> {
  const deadline = performance.now() + INCLUDED_MS
  for (;;) {
    const receipt = await receiptOf(reader, hash)
    if (receipt?.status === 'success') return
    if (receipt) throw new Error(`transaction ${hash} was refused by the chain`)
    if (performance.now() > deadline) {
      throw new Error(`transaction ${hash} is in no block after ${INCLUDED_MS / 1_000} s`)
    }
    await sleep(POLLING_MS)
  }
}

/** Gives addresses ether for gas, on a development node that allows it. */
export async function fundGas(rpcUrl: string, addresses: readonly Address[]): Promise<void> {
  const client = createPublicClient({ transport: headFollowing(rpcUrl) })
  for (const address of addresses) {
    if ((await client.getBalance({ address })) >= GAS_WEI / 2n) continue
    await client.request<{
      Method: 'anvil_setBalance'
      Parameters: [Address, Hex]
      ReturnType: null
    }>({
      method: 'anvil_setBalance',
      params: [address, `0x${GAS_WEI.toString(16)}`],
    })
  }
}

const GAS_WEI = 10_000n * 10n ** 18n
