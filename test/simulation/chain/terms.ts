import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { depositAddressOf } from '../../../src/chain/deposit-address.ts'
import type { Address, Hex32 } from '../../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  recover,
  registrationDigest,
  withdrawalDigest,
} from '../../../src/domain/proof.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { ADDRESSES, CONTRACTS, TREASURY } from './addresses.ts'
import type { ContractTerms } from './scene.ts'

type Spans = Pick<
  ContractTerms,
  'expirySeconds' | 'disputeSeconds' | 'arbitrationSeconds' | 'thawSeconds'
>
type Holders = Pick<
  ContractTerms,
  'locker' | 'settler' | 'arbiter' | 'pauser' | 'admin' | 'treasury'
> & { readonly withdrawalSigner: Address }

const HOLDERS: Holders = {
  locker: ADDRESSES.lock,
  settler: ADDRESSES.settle,
  arbiter: ADDRESSES.arbiter,
  pauser: ADDRESSES.pauser,
  admin: ADDRESSES.admin,
  treasury: TREASURY,
  withdrawalSigner: ADDRESSES.withdrawalSigner,
}
/** As the specification and the deployment's defaults have them. */
const SPANS: Spans = {
  expirySeconds: 180,
  disputeSeconds: 600,
  arbitrationSeconds: 86_400,
  thawSeconds: 300,
}

/** The terms of the simulated contracts; signatures are checked as the contracts check them. */
export function contractTerms(
  spans: Partial<Spans> = {},
  contracts: Contracts = CONTRACTS,
  { withdrawalSigner, ...holders }: Holders = HOLDERS,
  settleCapMax = 100_000_000n,
): ContractTerms {
  const { chainId, jobEscrow: escrow } = contracts
  const ofEscrow = domainSeparator({ name: 'JobEscrow', chainId, contract: escrow })
  const ofStaking = domainSeparator({
    ...{ name: 'WorkerStaking', chainId, contract: contracts.workerStaking },
  })
  return {
    ...SPANS,
    ...spans,
    ...holders,
    escrow,
    settleCapMax,
    minimumDeposit: 100n,
    unitsPerCredit: 10_000n,
    minimumStake: 1_000n * 10n ** 18n,
    slashBps: 1_000n,
    // Written out, not imported: what the house charges is checked against these.
    prices: [
      { perRequest: 2n, per1kTokens: 1n },
      { perRequest: 8n, per1kTokens: 4n },
      { perRequest: 18n, per1kTokens: 9n },
      { perRequest: 40n, per1kTokens: 20n },
    ],
    depositAddress: (wallet) => depositAddressOf(escrow, wallet),
    signerOf: (completion, signature) => recover(completionDigest(ofEscrow, completion), signature),
    isRegistration: ({ signer, payee, signature }) =>
      recover(registrationDigest(ofStaking, signer, payee), signature) === signer,
    isVoucher: ({ wallet, to, credits, nonce, deadline }, voucher) =>
      recover(
        withdrawalDigest(ofEscrow, { wallet, to, credits, nonce, deadline }),
        compact(voucher),
      ) === withdrawalSigner,
  }
}

/** From 65 bytes (r, s, v). */
export function compact(signature: Hex): { r: Hex32; vs: Hex32 } {
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const vs = Buffer.from(bytes.subarray(32, 64))
  if (bytes[64] === 28) vs[0]! |= 0x80
  return {
    r: `0x${bytes.subarray(0, 32).toString('hex')}` as Hex32,
    vs: `0x${vs.toString('hex')}` as Hex32,
  }
}
