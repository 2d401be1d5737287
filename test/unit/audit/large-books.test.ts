import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeEventTopics, padHex } from 'viem'
import { ChainBooks } from '../../../src/audit/books/chain-books.ts'
import type { AuditLook } from '../../../src/audit/books/look.ts'
import { readMoney } from '../../../src/audit/books/read-chain.ts'
import { inWords } from '../../../src/audit/books/report.ts'
import { emptyWallet } from '../../../src/audit/books/wallet-book.ts'
import { escrowEvents } from '../../../src/audit/chain/abi.ts'
import type { Chain } from '../../../src/audit/chain/connect.ts'

/** Networks with very many wallets. */
const Large = suite('books of very many')

const walletOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const

const depositOf = (number: number) => {
  const args = { wallet: walletOf(number), payer: walletOf(number) }
  return {
    topics: encodeEventTopics({ abi: escrowEvents, eventName: 'Deposited', args }),
    data: padHex('0x64', { size: 32 }),
    ...{ blockNumber: 1n, logIndex: number, transactionHash: '0x' },
  }
}

function booksOf(wallets: number): ChainBooks {
  const books = new ChainBooks()
  for (let number = 0; number < wallets; number++) {
    books.wallets.set(walletOf(number), emptyWallet())
  }
  return books
}

Large('in words: a line a wallet, and their sum', () => {
  const books = booksOf(150_000)
  const service = { journal: new Map(), archive: new Map(), views: new Map() }
  const tokens = { held: 0n, owed: 0n, unasked: 0n }
  const last = { books, service, tokens, code: { type: 'not_built' } } as unknown as AuditLook
  const lines = inWords({ last, standing: [], moving: 0 }).split('\n')
  assert.is(
    lines.findIndex((line) => line.startsWith('150000 wallets')),
    150_001,
  )
})

Large('a node is asked for their accounts a thousand at a time', async () => {
  const deposits = Array.from({ length: 2_500 }, (_, number) => depositOf(number))
  let open = 0
  let mostOpen = 0
  const readContract = async ({ functionName }: { functionName: string }) => {
    mostOpen = Math.max(mostOpen, ++open)
    await new Promise((resolve) => setImmediate(resolve))
    open--
    return functionName === 'accounts' ? [100n, 0n, 0n, 0] : 0n
  }
  const getBlock = async () => ({ number: 9n, hash: '0x' })
  const logs = async (address: string) => (address === walletOf(0xe5) ? deposits : [])
  const client = { readContract, getBlock }
  const { books } = await readMoney({ client, logs, escrow: walletOf(0xe5) } as unknown as Chain)
  assert.is(books.wallets.size, 2_500)
  assert.ok(mostOpen < 1_010, `${mostOpen} at once`)
})

Large.run()
