import type { Credits } from '../domain/credits.ts'
import type { Address, JobId } from '../domain/ids.ts'
import type { LoadAccount, LoadAccountReply } from '../messages/account.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import { type Bus, RequestTimeout } from '../ports/bus.ts'
import { type Clock, inTime } from '../ports/clock.ts'
import type { Balance, Ledger } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { refuse } from './http/errors.ts'

const LOAD_TIMEOUT_MS = 2_500
/** A header is not worth more waiting than this. */
const GLANCE_MS = 1_000

/** What wallets can spend, read from the chain first where the ledger does not know them. */
export interface Balances {
  /** @throws {RefusalError} service_unavailable: neither ledger nor chain can tell now */
  read(wallet: Address): Promise<Balance>
  /** Has the wallet read from the chain. @throws {RefusalError} as `read` */
  load(wallet: Address): Promise<void>
  /** For headers: the balance if it can be had within a second, else undefined. */
  glance(wallet: Address): Promise<Credits | undefined>
  /** The same, once this job, which has ended or is about to, is paid or refunded. Notes that it is so. */
  glanceAfter(wallet: Address, jobId: JobId, charged: Credits): Promise<Credits | undefined>
}

/** Of what is logged where nothing answers: a header is on every answer, and a refusal has its own line. */
type Level = 'warn' | 'debug'

interface Options {
  readonly ledger: Ledger
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

export function makeBalances({ ledger, bus, clock, log }: Options): Balances {
  const read = async (wallet: Address, level: Level = 'warn'): Promise<Balance> => {
    const known = await answered(ledger.balance(wallet), level)
    if (known !== 'unknown_wallet') return known
    await load(wallet, level)
    const loaded = await answered(ledger.balance(wallet), level)
    if (loaded !== 'unknown_wallet') return loaded
    log.warn({ wallet }, 'ledger: a wallet that was just loaded is unknown')
    throw balanceUnknown()
  }
  const load = async (wallet: Address, level: Level = 'warn'): Promise<void> => {
    const request: LoadAccount = { wallet }
    const ask = () => bus.request<LoadAccountReply>(SUBJECTS.accountLoad, request, LOAD_TIMEOUT_MS)
    // Actor hosts share the requests. One that has just died is given some too, until NATS notices.
    const again = (error: unknown) => {
      if (!(error instanceof RequestTimeout)) throw error
      return ask()
    }
    const reply = await answered(ask().catch(again), level)
    if (reply.type === 'loaded') return
    log[level]({ wallet, reason: reply.reason }, 'account: cannot be loaded')
    throw balanceUnknown()
  }
  const answered = async <T>(question: Promise<T>, level: Level): Promise<T> => {
    try {
      return await question
    } catch (error) {
      log[level]({ err: error }, 'balance: no answer')
      throw balanceUnknown()
    }
  }
  const glance = async <T>(question: Promise<T>): Promise<T | undefined> => {
    try {
      return await inTime(clock, GLANCE_MS, question)
    } catch (error) {
      log.debug({ err: error }, 'balance: no answer for a header')
      return undefined
    }
  }
  return {
    read: (wallet) => read(wallet),
    load: (wallet) => load(wallet),
    glance: async (wallet) => (await glance(read(wallet, 'debug')))?.remaining,
    glanceAfter: async (wallet, jobId, charged) => {
      const remaining = await glance(ledger.accountFor(wallet, jobId, charged))
      return remaining === 'unknown_wallet' ? undefined : remaining
    },
  }
}

const balanceUnknown = () =>
  refuse('service_unavailable', 'The balance cannot be read at the moment; try again shortly.')
