import type { Address, JobId } from '../../src/domain/ids.ts'
import type { LockIntent } from '../../src/messages/lane.ts'
import type { Outcome } from './outcome.ts'

/**
 * Whose locks are told only once a block holds them, where others are told at the broadcast. A wallet may
 * have spent what it allows itself in a day, and the escrow may be paused: a job that began all the same
 * would be answered for nothing, and so would all that follow it.
 */
export interface Doubts {
  /** It is in a transaction that the node has taken. */
  sent(lock: LockIntent): void
  heard(outcome: Outcome): void
  about(wallet: Address): boolean
}

/** More than are under way, or are refused before one is taken; who is forgotten has one more for nothing. */
const SENT_MAX = 2_000
const WALLETS_MAX = 10_000
/** They say nothing of the wallet: no lock would be taken. */
const OF_ALL: ReadonlySet<string> = new Set(['Paused', 'reverted'])

export function makeDoubts(): Doubts {
  const sent = new Map<JobId, Address>()
  const wallets = new Set<Address>()
  let all = false
  return {
    sent: ({ jobId, wallet }) => {
      sent.set(jobId, wallet)
      forgetOldest(sent, SENT_MAX)
    },
    heard: (outcome) => {
      if (outcome.type !== 'locked' && outcome.type !== 'lock_refused') return
      const wallet = sent.get(outcome.jobId)
      sent.delete(outcome.jobId)
      if (!wallet) return
      if (outcome.type === 'locked') {
        wallets.delete(wallet)
        all = false
      } else if (OF_ALL.has(outcome.reason)) all = true
      else {
        wallets.add(wallet)
        forgetOldest(wallets, WALLETS_MAX)
      }
    },
    about: (wallet) => all || wallets.has(wallet),
  }
}

function forgetOldest<Key>(
  kept: { readonly size: number; keys(): Iterator<Key>; delete(key: Key): boolean },
  max: number,
): void {
  if (kept.size <= max) return
  const oldest = kept.keys().next()
  if (!oldest.done) kept.delete(oldest.value)
}
