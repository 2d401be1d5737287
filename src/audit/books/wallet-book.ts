import { type Difference, differ, sameAmount } from './difference.ts'
import { isAfter, type Position } from './position.ts'

/** One wallet by its events. Credits. */
export interface WalletBook {
  deposited: bigint
  available: bigint
  locked: bigint
  thawing: bigint
  charged: bigint
  withdrawn: bigint
  /** How it went, in the order of the chain. */
  readonly steps: (Standing & { readonly at: Position })[]
}

/** What a wallet has at one position, as the ledger keeps it. Credits. */
export interface Standing {
  readonly available: bigint
  readonly locked: bigint
}

export const AMOUNTS = [
  'deposited',
  'available',
  'locked',
  'thawing',
  'charged',
  'withdrawn',
] as const

export const emptyWallet = (): WalletBook => ({
  ...{ deposited: 0n, available: 0n, locked: 0n, thawing: 0n, charged: 0n, withdrawn: 0n },
  steps: [],
})

export function move(book: WalletBook, at: Position, by: Partial<Omit<WalletBook, 'steps'>>): void {
  for (const name of AMOUNTS) book[name] += by[name] ?? 0n
  const { available, locked } = book
  if (by.available || by.locked) book.steps.push({ at, available, locked })
}

const NOTHING: Standing = { available: 0n, locked: 0n }

/** What the wallet had right after this position. */
export const standingAt = ({ steps }: WalletBook, at: Position): Standing =>
  steps.findLast((step) => !isAfter(step.at, at)) ?? NOTHING

/** What came in is somewhere, and nowhere is less than nothing. */
export function unbalancedWallet(wallet: string, book: WalletBook): Difference[] {
  const placed = book.available + book.locked + book.thawing + book.charged + book.withdrawn
  return [
    ...sameAmount(wallet, 'what it has deposited', book.deposited, placed),
    ...AMOUNTS.flatMap((name) =>
      book[name] < 0n ? [differ(wallet, `${name} is ${book[name]} by the events`, name)] : [],
    ),
  ]
}
