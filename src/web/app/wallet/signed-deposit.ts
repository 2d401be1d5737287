import { type Address, bytesToHex, encodeAbiParameters, type Hex, keccak256 } from 'viem'
import type { Config } from 'wagmi'
import { readContract, signTypedData } from 'wagmi/actions'
import { devUsdgAbi, jobEscrowAbi } from '../../../chain/abi.ts'
import type { RelayedDeposit, WebConfig } from '../../api.ts'
import { call } from '../api/call.ts'
import { ApiFailure } from '../api/failure.ts'
import { serviceNow } from '../api/service-clock.ts'
import { keptByTab } from '../session/kept.ts'
import { handToWallet } from './call.ts'
import { plainSignature, signatureParts } from './signature.ts'
import { tokenDomain, unitsOf } from './token.ts'
import type { Say, TxHash } from './transact.ts'

const VALID_SECONDS = 3_600
const MS = 1_000
const SALT_BYTES = 32

export interface DepositTerms {
  readonly web: WebConfig
  /** Pays, and gets the credits. */
  readonly wallet: Address
  readonly credits: number
}

/** As POST /api/deposits takes it. */
export interface SignedDeposit {
  readonly credits: number
  /** Unix seconds, as is `valid_before`. */
  readonly valid_after: number
  readonly valid_before: number
  readonly salt: Hex
  readonly signature: Hex
}

const ITEM = 'svc.purchase'

/** What was signed and is not known to be paid outlives a reload. Whoever hands it in, it pays once. */
interface Kept {
  readonly wallet: Address
  /** That it pays to; an earlier version has not kept it. */
  readonly escrow?: Address
  readonly deposit: SignedDeposit
}

/** What was signed for this very purchase, as long as it can be paid. */
export function signedDeposit({ web, wallet, credits }: DepositTerms): SignedDeposit | undefined {
  const kept = keptDeposit()
  if (kept?.wallet !== wallet || kept.deposit.credits !== credits) return undefined
  if (kept.escrow && kept.escrow !== web.contracts.job_escrow) return undefined
  return kept.deposit.valid_before * MS > serviceNow() ? kept.deposit : undefined
}

function keptDeposit(): Kept | undefined {
  const text = keptByTab.getItem(ITEM)
  return text === null ? undefined : JSON.parse(text)
}

const keep = (kept: Kept): void => keptByTab.setItem(ITEM, JSON.stringify(kept))

export const forgetDeposit = (): void => keptByTab.removeItem(ITEM)

/** The purchase with this salt is paid. */
export function endDeposit(salt: string): void {
  if (keptDeposit()?.deposit.salt === salt) forgetDeposit()
}

/** Signs, unless that was done before, and lets the service send it. */
export async function buyRelayed(config: Config, terms: DepositTerms, say: Say): Promise<TxHash> {
  const signed = signedDeposit(terms) ?? (await signDeposit(config, terms))
  // Where a wallet is slow, somebody may have begun anew, and sign both: it is one purchase all the same.
  const deposit = signedDeposit(terms) ?? signed
  keep({ wallet: terms.wallet, escrow: terms.web.contracts.job_escrow, deposit })
  say('sending')
  return handIn(deposit)
}

/** The wallet sends what it signed for the service, which may have sent it all the same. */
export async function sendDeposit(
  config: Config,
  { web, wallet, credits }: DepositTerms,
  deposit: SignedDeposit,
  say: Say,
): Promise<TxHash> {
  const isPaid = await readContract(config, {
    address: web.contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'authorizationState',
    args: [wallet, authorizationNonce(wallet, deposit.salt)],
  })
  say('sending')
  // The service finds by which transaction.
  if (isPaid) return handIn(deposit)
  const parts = signatureParts(deposit.signature)
  const validity = {
    validAfter: BigInt(deposit.valid_after),
    validBefore: BigInt(deposit.valid_before),
  }
  const payment = {
    address: web.contracts.job_escrow,
    abi: jobEscrowAbi,
    functionName: 'depositWithAuthorization',
    args: [wallet, wallet, BigInt(credits), { ...validity, salt: deposit.salt, ...parts }],
  }
  // The service may have been quicker by now: then it is refused, and nothing is sent.
  return handToWallet(config, payment, { wallet, chainId: web.chain.id })
}

async function handIn(deposit: SignedDeposit): Promise<TxHash> {
  try {
    return (await call<RelayedDeposit>('POST', '/deposits', deposit)).tx
  } catch (error) {
    if (isRefused(error)) forgetDeposit()
    throw error
  }
}

/** Not where it only was not looked at, as after the end of a session: the service may have it from before. */
const isRefused = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 400 || error.status === 422)

async function signDeposit(config: Config, terms: DepositTerms): Promise<SignedDeposit> {
  const { web, wallet, credits } = terms
  const salt = bytesToHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES)))
  const validAfter = 0n
  const validBefore = BigInt(Math.floor(serviceNow() / MS) + VALID_SECONDS)
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
      value: unitsOf(terms),
      validAfter,
      validBefore,
      // Names the wallet that gets the credits: nobody who sends it can change that.
      nonce: authorizationNonce(wallet, salt),
    },
  })
  // Before it is handed in: the service would not know why.
  signatureParts(signature)
  return {
    credits,
    valid_after: Number(validAfter),
    valid_before: Number(validBefore),
    salt,
    signature: plainSignature(signature),
  }
}

/** As the escrow's own function of this name. */
const authorizationNonce = (wallet: Address, salt: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [wallet, salt]))
