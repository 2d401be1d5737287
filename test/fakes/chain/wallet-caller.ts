import { createPublicClient, type Hex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devUsdgAbi, jobEscrowAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import type { Address } from '../../../src/domain/ids.ts'
import type { WithdrawalVoucher } from '../../../src/messages/account.ts'
import { addressOf, KEYS } from './anvil.ts'
import { mined } from './mined.ts'
import { makeWriter } from './writer.ts'

interface Caller {
  readonly rpcUrl: string
  readonly contracts: Pick<Contracts, 'jobEscrow' | 'usdg' | 'chainId'>
  readonly privateKey: Hex
  /** Whose vouchers are taken; that of `startChain` by default. */
  readonly withdrawalSigner?: Hex
}

export type WalletCaller = ReturnType<typeof makeWalletCaller>

const FAR = 2n ** 40n
const UNITS_PER_CREDIT = 10_000n

/**
 * All that a wallet does with its own money, without the service. Each call resolves once it is in a
 * block, and throws with the contract's error where it is refused.
 */
export function makeWalletCaller({
  rpcUrl,
  contracts,
  privateKey,
  withdrawalSigner = KEYS.withdrawalSigner,
}: Caller) {
  const account = privateKeyToAccount(privateKey)
  const wallet = account.address
  const reader = createPublicClient({ transport: headFollowing(rpcUrl) })
  const writer = makeWriter(rpcUrl, account)
  const escrow = { address: contracts.jobEscrow, abi: jobEscrowAbi, chain: null } as const
  const token = { address: contracts.usdg, abi: devUsdgAbi, chain: null } as const
  const tokenDomain = {
    name: 'Global Dollar (development)',
    version: '1',
    chainId: contracts.chainId,
    verifyingContract: contracts.usdg,
  }

  const included = async (sent: Promise<Hex>): Promise<void> => {
    const hash = await sent
    await mined(reader, hash)
  }
  const mint = (to: Address, units: bigint) =>
    included(writer.writeContract({ ...token, functionName: 'mint', args: [to, units] }))
  const own = (units: bigint) => mint(addressOf(privateKey), units)

  const balanceOf = (of: Hex): Promise<bigint> =>
    reader.readContract({ ...token, functionName: 'balanceOf', args: [of], blockTag: 'pending' })

  return {
    deposit: async (credits: bigint) => {
      const units = credits * UNITS_PER_CREDIT
      await own(units)
      const approval = { functionName: 'approve', args: [contracts.jobEscrow, units] } as const
      await included(writer.writeContract({ ...token, ...approval }))
      const deposit = { functionName: 'deposit', args: [wallet, credits] } as const
      await included(writer.writeContract({ ...escrow, ...deposit }))
    },

    /** Paid by this wallet, for another. */
    depositFor: async (of: Address, credits: bigint) => {
      const units = credits * UNITS_PER_CREDIT
      await own(units)
      const approval = { functionName: 'approve', args: [contracts.jobEscrow, units] } as const
      await included(writer.writeContract({ ...token, ...approval }))
      const deposit = { functionName: 'deposit', args: [of, credits] } as const
      await included(writer.writeContract({ ...escrow, ...deposit }))
    },

    /** EIP-2612. */
    depositWithPermit: async (credits: bigint) => {
      const value = credits * UNITS_PER_CREDIT
      await own(value)
      const nonce = await reader.readContract({ ...token, functionName: 'nonces', args: [wallet] })
      const signed = await account.signTypedData({
        domain: tokenDomain,
        types: { Permit: PERMIT },
        primaryType: 'Permit',
        message: { owner: wallet, spender: contracts.jobEscrow, value, nonce, deadline: FAR },
      })
      const { v, r, s } = parts(signed)
      const args = [wallet, credits, FAR, v, r, s] as const
      await included(writer.writeContract({ ...escrow, functionName: 'depositWithPermit', args }))
    },

    /** EIP-3009. Here the wallet brings it itself; anybody could. */
    depositWithAuthorization: async (credits: bigint, salt: Hex) => {
      const value = credits * UNITS_PER_CREDIT
      await own(value)
      const nonce = await reader.readContract({
        ...escrow,
        functionName: 'authorizationNonce',
        args: [wallet, salt],
      })
      const times = { validAfter: 0n, validBefore: FAR }
      const signed = await account.signTypedData({
        domain: tokenDomain,
        types: { ReceiveWithAuthorization: RECEIVE },
        primaryType: 'ReceiveWithAuthorization',
        message: { from: wallet, to: contracts.jobEscrow, value, ...times, nonce },
      })
      const args = [wallet, wallet, credits, { ...times, salt, ...parts(signed) }] as const
      await included(
        writer.writeContract({ ...escrow, functionName: 'depositWithAuthorization', args }),
      )
    },

    /** A plain transfer to the wallet's deposit address, as an exchange makes it. */
    payIn: async (units: bigint) => {
      const at = await reader.readContract({
        ...escrow,
        functionName: 'depositAddress',
        args: [wallet],
      })
      await mint(at.toLowerCase() as Address, units)
    },

    /** Tokens out of nothing: for the receiver the same as a plain transfer. */
    mintTo: mint,

    /** Of tokens made for it, to an address that did not ask. */
    give: (to: Address, units: bigint) => mint(to, units),

    sweep: (of: Address) =>
      included(writer.writeContract({ ...escrow, functionName: 'sweep', args: [of] })),

    /** With a voucher that the operator signs here and now. */
    withdraw: async (credits: bigint) => {
      const nonce = await reader.readContract({
        ...escrow,
        functionName: 'withdrawalNonce',
        args: [wallet],
      })
      const voucher = await privateKeyToAccount(withdrawalSigner).signTypedData({
        domain: {
          name: 'JobEscrow',
          version: '1',
          chainId: contracts.chainId,
          verifyingContract: contracts.jobEscrow,
        },
        types: { Withdrawal: WITHDRAWAL },
        primaryType: 'Withdrawal',
        message: { wallet, to: wallet, credits, nonce, deadline: FAR },
      })
      const args = [credits, wallet, FAR, voucher] as const
      await included(writer.writeContract({ ...escrow, functionName: 'withdraw', args }))
    },

    /** With a voucher of the service. */
    withdrawWith: ({ credits, to, deadline, signature }: WithdrawalVoucher) => {
      const args = [credits, to, BigInt(deadline), signature] as const
      return included(writer.writeContract({ ...escrow, functionName: 'withdraw', args }))
    },

    requestWithdrawal: (credits: bigint) =>
      included(
        writer.writeContract({ ...escrow, functionName: 'requestWithdrawal', args: [credits] }),
      ),
    cancelWithdrawal: () =>
      included(writer.writeContract({ ...escrow, functionName: 'cancelWithdrawal' })),
    completeWithdrawal: () =>
      included(
        writer.writeContract({ ...escrow, functionName: 'completeWithdrawal', args: [wallet] }),
      ),

    setSpendLimit: (creditsPerDay: number) =>
      included(
        writer.writeContract({ ...escrow, functionName: 'setSpendLimit', args: [creditsPerDay] }),
      ),

    /** As anyone: what a worker, or the treasury, has earned. */
    claim: (workerId: number) =>
      included(writer.writeContract({ ...escrow, functionName: 'claim', args: [workerId] })),
    claimTreasury: () =>
      included(writer.writeContract({ ...escrow, functionName: 'claimTreasury' })),

    /** As the pauser. */
    pause: () => included(writer.writeContract({ ...escrow, functionName: 'pause' })),
    unpause: () => included(writer.writeContract({ ...escrow, functionName: 'unpause' })),

    /** As the admin. */
    setSettleCap: (creditsPerHour: bigint) =>
      included(
        writer.writeContract({ ...escrow, functionName: 'setSettleCap', args: [creditsPerHour] }),
      ),

    balance: (): Promise<bigint> => balanceOf(wallet),
    balanceOf,
  }
}

function parts(signature: Hex): { v: number; r: Hex; s: Hex } {
  const { r, s, yParity } = parseSignature(signature)
  return { v: 27 + yParity, r, s }
}

const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const
/** The signature with which anybody may bring a wallet's purchase (EIP-3009). */
export const RECEIVE = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const WITHDRAWAL = [
  { name: 'wallet', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'credits', type: 'uint64' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const
