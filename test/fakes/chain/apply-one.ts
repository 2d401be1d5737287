import type { Ledger, LedgerEntry, Standing } from '../../../src/ports/ledger.ts'

/** Applies one log alone. */
export async function applyOne(
  ledger: Pick<Ledger, 'apply'>,
  entry: LedgerEntry,
): Promise<Standing | 'unknown_wallet'> {
  const standings = await ledger.apply([entry])
  return standings === 'unknown_wallet' ? standings : standings[0]!
}
