import type { Lane } from '../../src/messages/subjects.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import { ChainUnavailable, GasFundsMissing, RoleMissing } from '../../src/ports/escrow.ts'
import { SignerUnavailable } from '../../src/ports/signer.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Troubles } from './troubles.ts'

/** Whoever waited was stopped meanwhile. */
export class Stopped extends Error {}

/** Tells of what failed, for who does not wait for it. */
export const unlessStopped =
  (log: Log, lane: Lane, what: string) =>
  (error: unknown): void => {
    if (!(error instanceof Stopped)) log.error({ err: error, lane }, `lane: ${what}`)
  }

const RETRY_MIN_MS = 50
const RETRY_MAX_MS = 1_000

/** Repeats a question to the chain until it is answered. @throws {Stopped} */
export type UntilChain = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

interface Options {
  readonly clock: Clock
  readonly log: Log
  readonly alive: () => boolean
  readonly troubles: Troubles
}

/** Tells of an outage once, however many wait for its end. */
export function makeUntilChain({ clock, log, alive, troubles }: Options): UntilChain {
  /** How many wait for the end of each kind of trouble. */
  const waiting = new Map<Waited, number>()

  const begin = (by: Waited, error: ChainUnavailable): (() => void) => {
    const count = waiting.get(by) ?? 0
    waiting.set(by, count + 1)
    if (count === 0) tell(log, by, error)
    const end = troubles.begin(by)
    return () => {
      end()
      const left = waiting.get(by)! - 1
      waiting.set(by, left)
      if (left === 0 && alive()) log.info(`${WHO[by]}: goes on`)
    }
  }

  return async (ask) => {
    let trouble: { readonly by: Waited; readonly end: () => void } | undefined
    try {
      for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
        if (!alive()) throw new Stopped()
        try {
          return await ask()
        } catch (error) {
          if (!(error instanceof ChainUnavailable)) throw error
          const by = troubleOf(error)
          if (trouble?.by !== by) {
            trouble?.end()
            trouble = { by, end: begin(by, error) }
          }
        }
        await pause(clock, waitMs)
      }
    } finally {
      trouble?.end()
    }
  }
}

type Waited = 'chain' | 'signer' | 'gas_funds' | 'role'

function troubleOf(error: ChainUnavailable): Waited {
  if (error instanceof SignerUnavailable) return 'signer'
  if (error instanceof RoleMissing) return 'role'
  return error instanceof GasFundsMissing ? 'gas_funds' : 'chain'
}

const WHO = {
  chain: 'chain',
  signer: 'signer',
  gas_funds: 'gas',
  role: 'role',
} as const satisfies Record<Waited, string>

function tell(log: Log, by: Waited, error: ChainUnavailable): void {
  const about = { err: error }
  // Only an operator ends these two.
  if (by === 'gas_funds' || by === 'role') log.error(about, `${WHO[by]}: ${error.message}`)
  else log.warn(about, `${WHO[by]}: unavailable, trying again until it answers`)
}
