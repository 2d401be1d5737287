import type { Credits } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import { type UnixMs, unixSeconds } from '../../src/domain/time.ts'
import type { WithdrawalRefusal, WithdrawCredits } from '../../src/messages/account.ts'
import type { SeenVouchers, SetAside } from '../../src/ports/set-asides.ts'

/** What may become of a request for a voucher. Pure. */

/** Long enough for a wallet to confirm and a chain to include, short enough to wait for. */
const VALID_SECONDS = 120
/** A chain that mines only where there is something to mine tells no time while it waits. */
const QUIET_SECONDS = 60
/** By then the watcher has long applied a withdrawal, or it has no more to do with this voucher. */
const GIVEN_UP_SECONDS = 600
const REQUEST_ID = /^[\w-]{1,64}$/
const CREDITS_MAX = 2n ** 48n - 1n

export function refusalOf(
  { to, credits, requestId }: WithdrawCredits,
  neverPaid: ReadonlySet<Address>,
): WithdrawalRefusal | undefined {
  if (!REQUEST_ID.test(requestId)) {
    return invalid('A request id is 1 to 64 letters, digits, - and _; make a new one.')
  }
  if (credits <= 0n) return invalid('Nothing is to be withdrawn; name at least 1 credit.')
  if (credits > CREDITS_MAX) return invalid('No account holds that many credits; name fewer.')
  if (neverPaid.has(to)) {
    return invalid(
      `${to} cannot be paid: what is sent there is lost. Name a wallet that you control.`,
    )
  }
  return undefined
}

/** By the chain's time; a block may be long ago on a chain that mines only when asked to. */
export const deadlineOf = ({ time }: SeenVouchers, now: UnixMs): number =>
  Math.max(time, unixSeconds(now)) + VALID_SECONDS

/**
 * Whether what is set aside for a voucher can be spent again, after its deadline.
 *
 * The escrow takes a voucher up to and including its deadline, and the times of blocks never fall. So
 * once a block later than the deadline was seen, a withdrawal with this voucher lies before that
 * block or nowhere; if it lies there, the nonce has moved, and the watcher ends what is set aside in
 * the same step that takes the credits from the balance. Else nothing was and will be withdrawn.
 * So no credit is counted twice, and none is set aside for ever.
 */
export function isOver({ nonce, deadline }: SetAside, seen: SeenVouchers, now: UnixMs): boolean {
  const time = timePassed(seen, now)
  if (time <= deadline) return false
  return seen.nonce === nonce || time > deadline + GIVEN_UP_SECONDS
}

/** No block to come is of an earlier time. */
export const timePassed = ({ time }: SeenVouchers, now: UnixMs): number =>
  Math.max(time, unixSeconds(now) - QUIET_SECONDS)

export const isSame = (request: WithdrawCredits, { credits, to }: SetAside): boolean =>
  request.credits === credits && request.to === to

export const insufficient = (remaining: Credits): WithdrawalRefusal => ({
  code: 'insufficient_credits',
  message: `${remaining} credits can be withdrawn now; what running jobs hold comes back when they end.`,
  remaining,
})

export const voucherOpen = (endsAt: number): WithdrawalRefusal => ({
  code: 'voucher_open',
  message: `Another withdrawal of this wallet is open until ${new Date(endsAt * 1000).toISOString()}. Use it, or wait until then.`,
  endsAt,
})

export const requestIdTaken = (): WithdrawalRefusal => ({
  code: 'request_id_taken',
  message: 'A withdrawal of other terms was asked for with this request id; make a new one.',
})

export const notOffered = (): WithdrawalRefusal => ({
  code: 'not_offered',
  message:
    'Instant withdrawals are not offered at the moment. Withdraw on chain: requestWithdrawal, and completeWithdrawal five minutes later.',
})

const invalid = (message: string): WithdrawalRefusal => ({ code: 'invalid_request', message })
