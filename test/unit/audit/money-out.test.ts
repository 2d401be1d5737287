import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChainBooks, type EscrowEvent, unbalanced } from '../../../src/audit/books/chain-books.ts'
import { nameOf } from '../../../src/audit/books/difference.ts'

const Books = suite('books: money that leaves')

const WALLET = `0x${'1'.repeat(40)}`
let index = 0
const event = (eventName: EscrowEvent['eventName'], args: Record<string, unknown>): EscrowEvent =>
  ({
    eventName,
    args: { wallet: WALLET, ...args },
    ...{ blockNumber: 1n, logIndex: index++, transactionHash: `0x${'a'.repeat(64)}` },
  }) as unknown as EscrowEvent
const moves = (...names: [EscrowEvent['eventName'], bigint][]): ChainBooks => {
  const books = new ChainBooks()
  for (const [name, credits] of names) books.enter(event(name, { credits }))
  return books
}
const flaws = (books: ChainBooks): string[] => unbalanced(books).map(nameOf)

Books('at once, set aside, taken back, and taken out', () => {
  const begun = [
    ['Deposited', 1_000n],
    ['Withdrawn', 100n],
    ['WithdrawalRequested', 300n],
  ] as [EscrowEvent['eventName'], bigint][]
  const nothing = { locked: 0n, charged: 0n }
  for (const [last, left] of [
    [undefined, { available: 600n, thawing: 300n, withdrawn: 100n }],
    ['WithdrawalCancelled', { available: 900n, thawing: 0n, withdrawn: 100n }],
    ['WithdrawalCompleted', { available: 600n, thawing: 0n, withdrawn: 400n }],
  ] as const) {
    const books = moves(...begun, ...(last ? [[last, 300n] as [typeof last, bigint]] : []))
    const { steps: _, ...wallet } = books.wallets.get(WALLET)!
    assert.equal(wallet, { deposited: 1_000n, ...left, ...nothing })
    assert.equal(flaws(books), [])
  }
})

Books('more than there was is named', () => {
  assert.match(flaws(moves(['Deposited', 100n], ['Withdrawn', 101n]))[0] ?? '', 'available is -1')
  assert.match(
    flaws(moves(['Deposited', 100n], ['WithdrawalCompleted', 1n]))[0] ?? '',
    'thawing is -1',
  )
})

Books('a claim takes from what was earned', () => {
  const books = new ChainBooks()
  books.shares.earned.set(7, 300n)
  books.shares.treasury = 100n
  books.enter(event('EarningsClaimed', { workerId: 7, payee: WALLET, units: 200n }))
  books.enter(event('TreasuryClaimed', { treasury: WALLET, units: 100n }))
  assert.equal([books.shares.earned.get(7), books.shares.treasury], [100n, 0n])
  assert.is(books.shares.claimed, 300n, 'the token has paid out both')
})

Books.run()
