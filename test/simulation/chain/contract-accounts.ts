import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { CallOf } from './calls.ts'
import { Revert, require, type Scene } from './scene.ts'

const NOBODY = toAddress(`0x${'00'.repeat(20)}`)
const ACCOUNT_CREDITS_MAX = (2n ** 48n - 1n) / 2n

/* IN */

/** Takes `credits` worth of tokens from `payer`. */
export function credit(scene: Scene, payer: Address, wallet: Address, credits: bigint): void {
  const { state, terms, now } = scene
  require(!state.paused, 'EnforcedPause')
  require(wallet !== NOBODY, 'ZeroAddress')
  require(credits >= terms.minimumDeposit, 'BelowMinimumDeposit')
  const { available, locked, thawing } = state.account(wallet)
  require(available + locked + thawing + credits <= ACCOUNT_CREDITS_MAX, 'AccountFull')
  state.change(wallet, { available: available + credits, lastDepositAt: now })
  const at = toUnixMs(now * 1_000)
  scene.fact({ type: 'deposited', wallet, credits: toCredits(credits), at }, { payer })
  require(state.move(
    payer,
    terms.escrow,
    credits * terms.unitsPerCredit,
  ), 'ERC20InsufficientBalance')
}

/* OUT AT ONCE */

export function withdraw(scene: Scene, wallet: Address, call: CallOf<'withdraw'>): void {
  const { state, terms, now } = scene
  const { credits, to, deadline, voucher } = call
  const { voucherNonce: nonce } = state.account(wallet)
  require(now <= deadline, 'VoucherExpired')
  require(terms.isVoucher({ wallet, to, credits, nonce, deadline }, voucher), 'BadVoucher')
  state.change(wallet, { voucherNonce: nonce + 1n })
  takeAvailable(scene, wallet, credits)
  scene.fact({ type: 'withdrawn', wallet, credits: toCredits(credits) }, { to })
  payOut(scene, to, credits)
}

/* OUT AFTER A THAW */

export function startThaw(scene: Scene, wallet: Address, credits: bigint): void {
  const { state, terms, now } = scene
  takeAvailable(scene, wallet, credits)
  const { thawing } = state.account(wallet)
  const endsAt = now + terms.thawSeconds
  state.change(wallet, { thawing: thawing + credits, thawEndsAt: endsAt })
  scene.fact({ type: 'thawing_started', wallet, credits: toCredits(credits) }, { endsAt })
}

export function cancelThaw(scene: Scene, wallet: Address): void {
  const { state } = scene
  const credits = takeThawing(scene, wallet)
  state.change(wallet, { available: state.account(wallet).available + credits })
  scene.fact({ type: 'thawing_cancelled', wallet, credits: toCredits(credits) })
}

export function completeThaw(scene: Scene, wallet: Address, to: Address): void {
  require(scene.now >= scene.state.account(wallet).thawEndsAt, 'StillThawing')
  const credits = takeThawing(scene, wallet)
  scene.tell({ name: 'PaidOut', wallet, credits })
  payOut(scene, to, credits)
}

function takeThawing({ state }: Scene, wallet: Address): bigint {
  const { thawing } = state.account(wallet)
  require(thawing !== 0n, 'NothingThaws')
  state.change(wallet, { thawing: 0n, thawEndsAt: 0 })
  return thawing
}

/* BOTH */

function takeAvailable({ state }: Scene, wallet: Address, credits: bigint): void {
  require(credits !== 0n, 'ZeroCredits')
  const { available } = state.account(wallet)
  require(credits <= available, 'NotEnoughAvailable')
  state.change(wallet, { available: available - credits })
}

function payOut({ state, terms }: Scene, to: Address, credits: bigint): void {
  require(to !== NOBODY, 'ZeroAddress')
  require(to !== terms.escrow, 'PaysItself')
  if (!state.move(terms.escrow, to, credits * terms.unitsPerCredit)) {
    throw new Revert('ERC20InsufficientBalance')
  }
}
