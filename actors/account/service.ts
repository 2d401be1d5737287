import type { Address } from '../../src/domain/ids.ts'
import type {
  LoadAccount,
  LoadAccountReply,
  WithdrawCredits,
  WithdrawCreditsReply,
} from '../../src/messages/account.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus, Subscription } from '../../src/ports/bus.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { SetAsides } from '../../src/ports/set-asides.ts'
import type { Vouchers } from '../../src/ports/vouchers.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'
import { makeSweeper } from './sweeper.ts'
import { makeWithdrawals } from './withdrawals.ts'

export interface AccountOptions {
  readonly ledger: Ledger
  readonly setAsides: SetAsides
  readonly vouchers: Vouchers
  /** Reads a wallet from the chain into the ledger. */
  load(wallet: Address): Promise<void>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

/**
 * Fills the ledger from the chain, grants withdrawals, and gives back the reservations of edges that
 * died and the credits of vouchers that nobody used.
 */
export interface AccountService {
  start(): Promise<void>
  /** Takes no more requests, and answers those that it has: what they need is there until then. */
  stop(): Promise<void>
}

const QUEUE = 'account'
/** Nobody waits longer for an answer. */
const ANSWER_MS = 10_000
const SWEEP_MS = 5_000

/** Runs in each host: requests are shared out among them, a sweep is harmless twice. */
export function makeAccountService(options: AccountOptions): AccountService {
  const { load, bus, clock, log } = options
  // Each request of a wallet that Redis has forgotten asks, while the chain is away, too.
  const seldom = new Seldom(clock, log)
  const sweep = makeSweeper(options)
  const withdrawals = makeWithdrawals(options)
  const underWay = new Set<Promise<void>>()
  let endings: (() => void)[] = []

  /** Answers each request on `subject`; a throw is an answer too. */
  const answer = <Request extends { readonly wallet: Address }, Reply>(
    subject: string,
    reply: (request: Request) => Promise<Reply>,
  ): Subscription =>
    bus.subscribe(
      subject,
      (message, _subject, respond) => {
        const request = message as Request // only edges and the web app's API ask here
        const answered = reply(request)
          .then(respond, (error: unknown) => {
            const { wallet } = request
            seldom.warn({ err: error, wallet, subject }, 'account: not answered', subject)
            const reason = error instanceof Error ? error.message : String(error)
            respond({ type: 'unavailable', reason })
          })
          .finally(() => underWay.delete(answered))
        underWay.add(answered)
        return answered
      },
      { queue: QUEUE },
    )

  return {
    start: async () => {
      const loads = answer<LoadAccount, LoadAccountReply>(
        SUBJECTS.accountLoad,
        async ({ wallet }) => {
          await load(wallet)
          return { type: 'loaded' }
        },
      )
      const withdraws = answer<WithdrawCredits, WithdrawCreditsReply>(
        SUBJECTS.accountWithdraw,
        withdrawals.answer,
      )
      endings = [
        () => loads.unsubscribe(),
        () => withdraws.unsubscribe(),
        clock.every(SWEEP_MS, () => void sweep()),
        clock.every(SWEEP_MS, () => void withdrawals.sweep()),
      ]
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      if (underWay.size > 0)
        await Promise.race([Promise.allSettled(underWay), pause(clock, ANSWER_MS)])
    },
  }
}
