import type { ChainFact } from '../../src/ports/escrow.ts'
import type { BlockId, Ledger } from '../../src/ports/ledger.ts'
import { type CreditChange, changesOwned } from './credit-change.ts'
import { ledgerEntryOf } from './fact.ts'
import { noted } from './reads.ts'

type Change = Omit<CreditChange, 'standing'>

/** Of one wallet at once: a step of the ledger at most a few milliseconds long. */
const AT_ONCE = 100

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
  const wallets = changesByWallet(facts, seen)
  if (wallets.length === 0) return []
  const apply = async (changes: readonly Change[]) => {
    const told: CreditChange[] = []
    for (let from = 0; from < changes.length; from += AT_ONCE) {
      const some = changes.slice(from, from + AT_ONCE)
      const standings = await ledger.apply(some.map(({ entry }) => entry))
      some.forEach((change, i) => {
        const standing = standings === 'unknown_wallet' ? standings : standings[i]!
        if (changesOwned(change.entry)) told.push({ standing, ...change })
      })
    }
    return told
  }
  const applied = await noted(ledger, seen, () => Promise.all(wallets.map(apply)))
  return applied.flat()
}

function changesByWallet(facts: readonly ChainFact[], seen: BlockId): readonly Change[][] {
  const wallets = new Map<string, Change[]>()
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
  return [...wallets.values()]
}
