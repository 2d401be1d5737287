import type { LoadAccount, LoadAccountReply } from '../../src/messages/account.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { EscrowReader } from '../../src/ports/escrow.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { makeLoader } from './loader.ts'
import { makeSweeper } from './sweeper.ts'

export interface AccountOptions {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

/** Fills the ledger from the chain, and gives back the reservations of edges that died. */
export interface AccountService {
  start(): Promise<void>
  stop(): Promise<void>
}

const QUEUE = 'account'
const SWEEP_MS = 5_000

/** Runs in each host: loads are shared out among them, a sweep is harmless twice. */
export function makeAccountService(options: AccountOptions): AccountService {
  const { bus, clock, log } = options
  const load = makeLoader(options)
  const sweep = makeSweeper(options)
  let endings: (() => void)[] = []

  return {
    start: async () => {
      const loads = bus.subscribe(
        SUBJECTS.accountLoad,
        (message, _subject, respond) => {
          const { wallet } = message as LoadAccount // only edges ask here
          load(wallet).then(
            () => respond({ type: 'loaded' } satisfies LoadAccountReply),
            (error: unknown) => {
              log.warn({ err: error, wallet }, 'account: not loaded')
              const reason = error instanceof Error ? error.message : String(error)
              respond({ type: 'unavailable', reason } satisfies LoadAccountReply)
            },
          )
        },
        { queue: QUEUE },
      )
      endings = [() => loads.unsubscribe(), clock.every(SWEEP_MS, () => void sweep())]
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
    },
  }
}
