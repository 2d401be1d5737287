import type { Balances } from '../../api/balances.ts'
import { type Credits, NO_CREDITS, toCredits } from '../../domain/credits.ts'
import type { Address } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Balance } from '../../ports/ledger.ts'

/** A wallet as one look has found it, less what those before in the line go for. */
export interface Found extends Pick<Balance, 'remaining' | 'returning'> {
  /** Somebody before did: whether it is theirs by now, the next look tells. */
  readonly isContested: boolean
}

/**
 * Looks at a wallet a moment later: once for all who wait for its credits, however many they are.
 * @param enough of so many credits, where they are there, the next one in the line is told nothing
 */
export type Look = (wallet: Address, enough: Credits) => Promise<Found>

interface Options {
  readonly balances: Pick<Balances, 'read'>
  readonly clock: Clock
}

const LOOK_MS: DurationMs = 50

export function makeSharedLooks({ balances, clock }: Options): Look {
  const next = new Map<Address, Promise<{ balance: Balance; taken: Credits }>>()
  const look = async (wallet: Address) => {
    await pause(clock, LOOK_MS)
    // Who comes from now on may know of more than what is asked for here.
    next.delete(wallet)
    return { balance: await balances.read(wallet), taken: NO_CREDITS }
  }
  return async (wallet, enough) => {
    const shared = next.get(wallet) ?? look(wallet)
    next.set(wallet, shared)
    const seen = await shared
    const isContested = seen.taken > 0n
    const remaining = toCredits(seen.balance.remaining - seen.taken)
    if (remaining >= enough) seen.taken = toCredits(seen.taken + enough)
    return { remaining, returning: seen.balance.returning, isContested }
  }
}
