import type { Address } from '../../src/domain/ids.ts'
import { unixSeconds } from '../../src/domain/time.ts'
import type {
  WithdrawalRefusal,
  WithdrawCredits,
  WithdrawCreditsReply,
} from '../../src/messages/account.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type {
  OverdueVoucher,
  SetAside,
  SetAsideReply,
  SetAsides,
} from '../../src/ports/set-asides.ts'
import type { Vouchers } from '../../src/ports/vouchers.ts'
import type { Log } from '../../src/telemetry/log.ts'
import {
  deadlineOf,
  insufficient,
  isOver,
  isSame,
  notOffered,
  refusalOf,
  requestIdTaken,
  timePassed,
  voucherOpen,
} from './voucher.ts'

/**
 * Vouchers for withdrawals at once. The credits are set aside first, so that no job can have them,
 * and only then the voucher is signed. A crash in between leaves credits set aside until the
 * deadline, and the same request finds them there. What Redis loses is harmless: a second voucher
 * has the nonce of the first, so that one of them can be used, and the escrow pays no more than the
 * wallet has.
 */
export interface Withdrawals {
  answer(request: WithdrawCredits): Promise<WithdrawCreditsReply>
  /** Gives back what was set aside for vouchers that nobody used in time. */
  sweep(): Promise<void>
}

interface Options {
  readonly setAsides: SetAsides
  readonly vouchers: Vouchers
  /** Reads a wallet from the chain into the ledger. */
  load(wallet: Address): Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** The ledger is a few blocks behind at most, unless something is wrong. */
const ATTEMPTS_MAX = 20
const BETWEEN_ATTEMPTS_MS = 100
const SWEEP_MAX = 1_000

export function makeWithdrawals(options: Options): Withdrawals {
  const { vouchers, setAsides, clock, log } = options
  let sweeping = false

  const grant = (voucher: SetAside): WithdrawCreditsReply => {
    const { requestId: _, ...terms } = voucher
    const { chainId, escrow } = vouchers
    const signature = vouchers.sign(terms)
    return { type: 'granted', voucher: { chainId, escrow, ...terms, signature } }
  }

  return {
    answer: async (request) => {
      if (!vouchers.offered) return refused(notOffered())
      const refusal = refusalOf(request, vouchers.neverPaid)
      if (refusal) return refused(refusal)
      const reply = await setAside(options, request)
      switch (reply.type) {
        case 'set_aside':
          return isSame(request, reply.voucher) ? grant(reply.voucher) : refused(requestIdTaken())
        case 'open':
          return refused(voucherOpen(reply.deadline))
        case 'insufficient':
          return refused(insufficient(reply.remaining))
        case 'used':
          return {
            type: 'unavailable',
            reason: 'the last withdrawal of the wallet is not confirmed yet',
            lastUnconfirmed: true,
          }
        default:
          return {
            type: 'unavailable',
            reason: 'the ledger is behind the chain; ask again with the same request id',
          }
      }
    },

    sweep: async () => {
      if (sweeping) return
      sweeping = true
      try {
        for (const overdue of await setAsides.overdue(unixSeconds(clock.now()), SWEEP_MAX)) {
          await sweepOne(options, overdue)
        }
      } catch (error) {
        log.warn({ err: error }, 'account: vouchers not swept, the next sweep goes on')
      } finally {
        sweeping = false
      }
    },
  }
}

async function setAside(options: Options, request: WithdrawCredits): Promise<SetAsideReply> {
  const { setAsides, vouchers, load, clock } = options
  const { wallet, requestId, credits, to } = request
  for (let attempt = 1; ; attempt++) {
    const seen = await vouchers.read(wallet)
    const now = clock.now()
    const wanted = { wallet, requestId, credits, to, deadline: deadlineOf(seen, now) }
    // A former voucher has to be over by the same time for its credits and for the next one.
    const reply = await setAsides.setAside(wanted, { ...seen, time: timePassed(seen, now) })
    if (attempt === ATTEMPTS_MAX) return reply
    if (reply.type === 'unknown_wallet') await load(wallet)
    else if (reply.type === 'stale' || reply.type === 'used') {
      await pause(clock, BETWEEN_ATTEMPTS_MS)
    } else return reply
  }
}

async function sweepOne(
  { setAsides, vouchers, clock, log }: Options,
  { wallet, requestId }: OverdueVoucher,
): Promise<void> {
  const held = await setAsides.held(wallet)
  // Used, or refused, or a later one took its place.
  const isGone = held?.requestId !== requestId
  if (!isGone && !isOver(held, await vouchers.read(wallet), clock.now())) return
  await setAsides.end(wallet, requestId)
  if (!isGone) log.debug({ wallet, requestId }, 'account: a voucher has run out')
}

const refused = (refusal: WithdrawalRefusal): WithdrawCreditsReply => ({ type: 'refused', refusal })
