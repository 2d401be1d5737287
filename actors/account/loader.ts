import type { Address } from '../../src/domain/ids.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { EscrowReader } from '../../src/ports/escrow.ts'
import type { Ledger } from '../../src/ports/ledger.ts'

interface Options {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly clock: Clock
}

/** Reads a wallet from the chain into the ledger. Asked several times at once, it reads once. */
export type LoadWallet = (wallet: Address) => Promise<void>

const ATTEMPTS_MAX = 10
/** Of several nodes behind one address one may lag. All attempts together are shorter than edges wait. */
const BETWEEN_ATTEMPTS_MS = 200

export function makeLoader(options: Options): LoadWallet {
  const underWay = new Map<Address, Promise<void>>()
  return (wallet) => {
    const known = underWay.get(wallet)
    if (known) return known
    const loading = load(options, wallet).finally(() => underWay.delete(wallet))
    underWay.set(wallet, loading)
    return loading
  }
}

async function load({ reader, ledger, clock }: Options, wallet: Address): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const account = await reader.account(wallet)
    await ledger.noteRead(account)
    // Stale: the watcher has seen a later block than the one that was read.
    if ((await ledger.load(wallet, account)) === 'loaded') return ledger.noteRead(account)
    if (attempt === ATTEMPTS_MAX) break
    await pause(clock, BETWEEN_ATTEMPTS_MS)
  }
  throw new Error(
    `the node was behind what is known of the wallet in ${ATTEMPTS_MAX} reads; ask again`,
  )
}
