import type { Address } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import { type Clock, inTime } from '../../ports/clock.ts'
import type { JobViews } from '../../ports/job-views.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { WalletReader } from '../../ports/web-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { StaleQuery } from '../api.ts'
import { makeArrivals } from './arrivals.ts'

/** Looks, for the pages that are open, at what may have changed under them. */
export interface Followers {
  /**
   * `tell` hears which of the app's queries are stale: of all that changes once this has resolved.
   * The returned function ends it.
   */
  follow(wallet: Address, tell: (queries: readonly StaleQuery[]) => void): Promise<() => void>
  /** Whether one more page of this wallet is too many: of all there are here, or of its own. */
  isFull(wallet: Address): boolean
  stop(): void
}

interface Options {
  readonly ledger: Pick<Ledger, 'balance'>
  readonly jobViews: Pick<JobViews, 'page'>
  readonly reader: Pick<WalletReader, 'head' | 'arrivals' | 'depositAddress'>
  readonly clock: Clock
  readonly log: Log
}

/** What the pages show; undefined: not seen yet. */
interface Seen {
  balance: string | undefined
  /** When it bought last. */
  topup: UnixMs | null | undefined
  jobs: string | undefined
}

interface Followed extends Seen {
  readonly tells: Set<(queries: readonly StaleQuery[]) => void>
}

const NOT_SEEN: Seen = { balance: undefined, topup: undefined, jobs: undefined }
/** Pages of one process. One that gets no place asks again from time to time, as it does anyway. */
const PAGES_MAX = 2_000
/** A wallet costs nothing: without this one of them could hold all places. Tabs that are hidden hold none. */
export const PAGES_PER_WALLET = 20
const LOOK_MS = 1_000
/** The newest jobs of a wallet: older ones change rarely, and a page asks anew now and then. */
const JOBS_LOOKED_AT = 20

/** One look a second for all of them, however many pages show a wallet; no look, no cost. */
export function makeFollowers(options: Options): Followers {
  const { ledger, jobViews, reader, clock, log } = options
  const followed = new Map<Address, Followed>()
  const arrivals = makeArrivals(reader)
  let count = 0

  /** One at a time of each kind: a chain that is silent does not hold up news of jobs. */
  const inTurn = (look: () => Promise<unknown>) => {
    let looking = false
    return async () => {
      if (looking || followed.size === 0) return
      looking = true
      try {
        await look()
      } catch (error) {
        log.debug({ err: error }, 'live: not looked, the next look goes on')
      } finally {
        looking = false
      }
    }
  }
  const lookAtWallets = inTurn(() =>
    Promise.all([...followed].map(([wallet, each]) => lookAtWallet(wallet, each))),
  )
  const lookAtArrivals = inTurn(async () => {
    for (const wallet of await arrivals.look(followed.keys())) {
      const each = followed.get(wallet)
      if (each) tell(each, new Set(['arrivals', 'account']))
    }
  })
  const cancel = clock.every(LOOK_MS, () => {
    void lookAtWallets()
    void lookAtArrivals()
  })

  const lookAtWallet = async (wallet: Address, each: Followed) => {
    const known = await ledger.balance(wallet)
    const balance = JSON.stringify(known, bare)
    const topup = known === 'unknown_wallet' ? undefined : known.lastTopupAt
    const page = await jobViews.page({ wallet, limit: JOBS_LOOKED_AT })
    const jobs = page === 'incomplete' ? each.jobs : JSON.stringify(page, bare)
    const stale = staleQueries(each, { balance, topup, jobs })
    each.balance = balance
    if (topup !== undefined) each.topup = topup
    each.jobs = jobs
    tell(each, stale)
  }

  /** What fails here is made up for by the next look. */
  const firstLook = async (wallet: Address, each: Followed) => {
    try {
      if (each.balance === undefined) await lookAtWallet(wallet, each)
      await inTime(clock, LOOK_MS, arrivals.begin())
    } catch (error) {
      log.debug({ err: error }, 'live: not looked, the next look goes on')
    }
  }

  const tell = (each: Followed, stale: ReadonlySet<StaleQuery>) => {
    if (stale.size > 0) for (const call of each.tells) call([...stale])
  }

  return {
    follow: async (wallet, call) => {
      if (followed.size === 0) arrivals.forget()
      const each = followed.get(wallet) ?? { tells: new Set(), ...NOT_SEEN }
      followed.set(wallet, each)
      each.tells.add(call)
      count++
      await firstLook(wallet, each)
      return () => {
        if (!each.tells.delete(call)) return
        count--
        if (each.tells.size === 0) followed.delete(wallet)
      }
    },
    isFull: (wallet) =>
      count >= PAGES_MAX || (followed.get(wallet)?.tells.size ?? 0) >= PAGES_PER_WALLET,
    stop: cancel,
  }
}

function staleQueries(before: Readonly<Seen>, now: Readonly<Seen>): ReadonlySet<StaleQuery> {
  const stale = new Set<StaleQuery>()
  const jobsChanged = before.jobs !== undefined && before.jobs !== now.jobs
  if (jobsChanged) for (const query of ['jobs', 'account'] as const) stale.add(query)
  if (before.balance !== undefined && before.balance !== now.balance) {
    stale.add('account')
    const isKnown = now.topup !== undefined && before.topup !== undefined
    const hasBought = isKnown && now.topup !== before.topup
    // No job moved, so that money did; or both.
    if (!jobsChanged || hasBought) stale.add('movements')
  }
  return stale
}

const bare = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
