import type { Credits } from '../domain/credits.ts'
import type { Address, JobId } from '../domain/ids.ts'
import type { LoadAccount, LoadAccountReply } from '../messages/account.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import { type Bus, RequestTimeout } from '../ports/bus.ts'
import { type Clock, inTime } from '../ports/clock.ts'
import type { Balance, Ledger } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { Seldom } from '../telemetry/seldom.ts'
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
  /** Those of the jobs whose credits are not in the balance. @throws {RefusalError} as `read` */
  held(wallet: Address, jobs: readonly JobId[]): Promise<readonly JobId[]>
  /** For headers: the balance if it can be had within a second, else undefined. */
  glance(wallet: Address): Promise<Credits | undefined>
  /** The same, once this job, which has ended or is about to, is paid or refunded. Notes that it is so. */
  glanceAfter(wallet: Address, jobId: JobId, charged: Credits): Promise<Credits | undefined>
}

interface Options {
  readonly ledger: Ledger
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

export function makeBalances(options: Options): Balances {
  const { ledger, clock, log } = options
  const seldom = new Seldom(clock, log)
  const asked = makeReading(options, (facts, what) => seldom.warn(facts, what))
  // A header is on every answer, and a refusal has its own line.
  const glanced = makeReading(options, (facts, what) => log.debug(facts, what))
  const glance = async <T>(question: Promise<T>): Promise<T | undefined> => {
    try {
      return await inTime(clock, GLANCE_MS, question)
    } catch (error) {
      log.debug({ err: error }, 'balance: no answer for a header')
      return undefined
    }
  }
  return {
    read: asked.read,
    load: asked.load,
    held: asked.held,
    glance: async (wallet) => (await glance(glanced.read(wallet)))?.remaining,
    glanceAfter: async (wallet, jobId, charged) => {
      const remaining = await glance(ledger.accountFor(wallet, jobId, charged))
      return remaining === 'unknown_wallet' ? undefined : remaining
    },
  }
}

/** @param unanswered logs why there is no balance */
function makeReading(
  { ledger, bus, log }: Options,
  unanswered: (facts: Readonly<Record<string, unknown>>, what: string) => void,
): Pick<Balances, 'read' | 'load' | 'held'> {
  const read = async (wallet: Address): Promise<Balance> => {
    const known = await answered(ledger.balance(wallet))
    if (known !== 'unknown_wallet') return known
    await load(wallet)
    const loaded = await answered(ledger.balance(wallet))
    if (loaded !== 'unknown_wallet') return loaded
    log.warn({ wallet }, 'ledger: a wallet that was just loaded is unknown')
    throw balanceUnknown()
  }
  const load = async (wallet: Address): Promise<void> => {
    const request: LoadAccount = { wallet }
    const ask = () => bus.request<LoadAccountReply>(SUBJECTS.accountLoad, request, LOAD_TIMEOUT_MS)
    // Actor hosts share the requests. One that has just died is given some too, until NATS notices.
    const again = (error: unknown) => {
      if (!(error instanceof RequestTimeout)) throw error
      return ask()
    }
    const reply = await answered(ask().catch(again))
    if (reply.type === 'loaded') return
    unanswered({ wallet, reason: reply.reason }, 'account: cannot be loaded')
    throw balanceUnknown()
  }
  const answered = async <T>(question: Promise<T>): Promise<T> => {
    try {
      return await question
    } catch (error) {
      unanswered({ err: error }, 'balance: no answer')
      throw balanceUnknown()
    }
  }
  return { read, load, held: (wallet, jobs) => answered(ledger.held(wallet, jobs)) }
}

const balanceUnknown = () =>
  refuse('service_unavailable', 'The balance cannot be read at the moment; try again shortly.')
