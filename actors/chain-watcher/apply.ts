import type { ChainFact } from '../../src/ports/escrow.ts'
import type { BlockId, Ledger } from '../../src/ports/ledger.ts'
import { type CreditChange, changesOwned } from './credit-facts.ts'
import { ledgerEntryOf } from './fact.ts'
import { noted } from './reads.ts'

/**
 * In the chain's order for each wallet; wallets side by side. Whoever goes on after a crash may never
 * have seen the block that the ledger is at by then: it is noted, so that it is looked for.
 * @returns what changed the credits of a wallet, each wallet's in order
 */
export async function applyAll(
  ledger: Ledger,
  facts: readonly ChainFact[],
  seen: BlockId,
): Promise<readonly CreditChange[]> {
  const wallets = new Map<string, Omit<CreditChange, 'standing'>[]>()
  const places = new Map<string, number>()
  for (const fact of facts) {
    const entry = ledgerEntryOf(fact)
    if (!entry) continue
    const { wallet, kind } = entry
    const like = `${fact.tx} ${wallet} ${kind}`
    const place = places.get(like) ?? 0
    places.set(like, place + 1)
    const change = { entry, tx: fact.tx, place, seen }
    const changes = wallets.get(wallet)
    if (changes) changes.push(change)
    else wallets.set(wallet, [change])
  }
  if (wallets.size === 0) return []
  const apply = async (changes: readonly Omit<CreditChange, 'standing'>[]) => {
    const told: CreditChange[] = []
    for (const change of changes) {
      const standing = await ledger.apply(change.entry)
      if (changesOwned(change.entry)) told.push({ ...change, standing })
    }
    return told
  }
  const applied = await noted(ledger, seen, () => Promise.all([...wallets.values()].map(apply)))
  return applied.flat()
}
