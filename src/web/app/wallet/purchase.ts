import {
  type Address,
  bytesToHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  parseSignature,
  type TypedDataDomain,
} from 'viem'
import type { Config } from 'wagmi'
import { getBytecode, readContract, signTypedData, writeContract } from 'wagmi/actions'
import { devUsdgAbi, jobEscrowAbi } from '../../../chain/abi.ts'
import type { RelayedDeposit, WebConfig } from '../../api.ts'
import { call } from '../api/call.ts'
import { isFinal } from '../api/explain.ts'
import { included, type Phase, type TxHash } from './transact.ts'

export interface Purchase {
  readonly web: WebConfig
  /** Pays, and gets the credits. */
  readonly wallet: Address
  readonly credits: number
  /** The service sends the payment; else the wallet does, and pays the network's fee. */
  readonly relayed: boolean
}

const VALID_SECONDS = 3_600
/** Clocks of browsers and of chains differ. */
const SKEW_SECONDS = 600
const MS = 1_000
const SALT_BYTES = 32

/** A code of this start belongs to a plain wallet with a delegation (EIP-7702), which still signs. */
const DELEGATION = '0xef0100'

/** Contracts cannot make the signatures that this token checks; they pay by a plain transfer. */
export async function canSign(config: Config, wallet: Address): Promise<boolean> {
  const code = await getBytecode(config, { address: wallet })
  return !code || code === '0x' || code.startsWith(DELEGATION)
}

/**
 * Buys credits with one signature: EIP-3009 where the service sends it, else an EIP-2612 permit that
 * the wallet sends itself.
 * @returns the transaction, once it is in a block
 */
export async function buyCredits(
  config: Config,
  purchase: Purchase,
  say: (phase: Phase) => void,
): Promise<TxHash> {
  say('signing')
  const hash = purchase.relayed
    ? await buyRelayed(config, purchase, say)
    : await buyWithPermit(config, purchase, say)
  say('confirming')
  const tx = await included(config, hash)
  open = undefined
  return tx
}

const unitsOf = ({ web, credits }: Purchase) => BigInt(credits) * BigInt(web.units_per_credit)

/** As POST /api/deposits takes it. */
interface SignedDeposit {
  readonly credits: number
  /** Unix seconds, as is `valid_before`. */
  readonly valid_after: number
  readonly valid_before: number
  readonly salt: Hex
  readonly signature: Hex
}

/** What was signed and is not known to be paid. Handed in again, it pays no second time. */
let open: { readonly of: string; readonly deposit: SignedDeposit } | undefined

async function buyRelayed(
  config: Config,
  purchase: Purchase,
  say: (phase: Phase) => void,
): Promise<TxHash> {
  const of = `${purchase.wallet} ${purchase.credits}`
  if (open?.of !== of || open.deposit.valid_before * MS <= Date.now()) {
    open = { of, deposit: await signDeposit(config, purchase) }
  }
  say('sending')
  try {
    const { tx } = await call<RelayedDeposit>('POST', '/deposits', open.deposit)
    return tx
  } catch (error) {
    if (isFinal(error)) open = undefined
    throw error
  }
}

async function signDeposit(config: Config, purchase: Purchase): Promise<SignedDeposit> {
  const { web, wallet, credits } = purchase
  const salt = bytesToHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES)))
  const validAfter = 0n
  const validBefore = BigInt(Math.floor(Date.now() / MS) + VALID_SECONDS)
  const signature = await signTypedData(config, {
    account: wallet,
    domain: await tokenDomain(config, web),
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      from: wallet,
      to: web.contracts.job_escrow,
      value: unitsOf(purchase),
      validAfter,
      validBefore,
      // Names the wallet that gets the credits: nobody who sends it can change that.
      nonce: authorizationNonce(wallet, salt),
    },
  })
  return {
    credits,
    valid_after: Number(validAfter),
    valid_before: Number(validBefore),
    salt,
    signature,
  }
}

/** As the escrow's own function of this name. */
const authorizationNonce = (wallet: Address, salt: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [wallet, salt]))

async function buyWithPermit(
  config: Config,
  purchase: Purchase,
  say: (phase: Phase) => void,
): Promise<TxHash> {
  const { web, wallet, credits } = purchase
  const deadline = BigInt(Math.floor(Date.now() / MS) + VALID_SECONDS + SKEW_SECONDS)
  const nonce = await readContract(config, {
    address: web.contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'nonces',
    args: [wallet],
  })
  const signature = await signTypedData(config, {
    account: wallet,
    domain: await tokenDomain(config, web),
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: {
      owner: wallet,
      spender: web.contracts.job_escrow,
      value: unitsOf(purchase),
      nonce,
      deadline,
    },
  })
  const { r, s, yParity } = parseSignature(signature)
  say('sending')
  return writeContract(config, {
    address: web.contracts.job_escrow,
    abi: jobEscrowAbi,
    functionName: 'depositWithPermit',
    args: [wallet, BigInt(credits), deadline, 27 + yParity, r, s],
    account: wallet,
    chainId: web.chain.id,
  })
}

/** What the token says of itself (ERC-5267). */
async function tokenDomain(config: Config, { contracts }: WebConfig): Promise<TypedDataDomain> {
  const [, name, version, chainId, verifyingContract] = await readContract(config, {
    address: contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'eip712Domain',
  })
  return { name, version, chainId, verifyingContract }
}
