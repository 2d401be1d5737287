import type { Hex } from 'viem'
import { CannotTell, reasonOf } from '../cannot-tell.ts'
import { escrowReads, tokenReads } from '../chain/abi.ts'
import type { Chain } from '../chain/connect.ts'
import { askEach } from './ask-each.ts'
import { type ChainBooks, unbalanced } from './chain-books.ts'
import { type Difference, differ, sameAmount } from './difference.ts'
import { type EventsRead, readOn } from './read-events.ts'
import { recordDifferences } from './read-records.ts'
import { PROBES, price, UNITS_PER_CREDIT } from './rules.ts'
import { readTokens, type Tokens } from './tokens.ts'

export interface ChainReading {
  readonly books: ChainBooks
  /** Of the chain with itself. */
  readonly differences: readonly Difference[]
  readonly tokens: Tokens
}

const TRIES = 20

/** Enters every event since the deployment and holds it against what the contract remembers. */
export async function readChain(chain: Chain): Promise<ChainReading> {
  const money = await readMoney(chain)
  return {
    ...money,
    differences: [
      ...money.differences,
      ...(await priceDifferences(chain)),
      ...(await recordDifferences(chain, money.books)),
    ],
  }
}

/**
 * Events and balances as of one block, so that whatever differs is wrong. A node may forget the
 * state of a block as soon as it has the next: then it is tried again, with what has come since.
 */
export async function readMoney(chain: Chain): Promise<ChainReading> {
  const token = await chain.client.readContract({
    ...{ address: chain.escrow, abi: escrowReads, functionName: 'TOKEN' },
  })
  let events: EventsRead | undefined
  for (let tries = 1; ; tries++) {
    try {
      events = await readOn(chain, events)
      return await readBalances(chain, token, events)
    } catch (error) {
      if (tries < TRIES) continue
      throw new CannotTell(
        `the state of one block could not be read in ${TRIES} tries (${reasonOf(error)}): ask a ` +
          'node that keeps states of old blocks, or ask again when less happens',
        { cause: error },
      )
    }
  }
}

async function readBalances(
  chain: Chain,
  token: Hex,
  { books, unknown, until }: EventsRead,
): Promise<ChainReading> {
  const block = until.number
  const { owed, held, differences } = await moneyDifferences(chain, books, { token, block })
  const flow = await readTokens(chain, books, { token, until: block, held, owed })
  const events = [...unknown, ...books.differences, ...unbalanced(books)]
  return {
    books,
    tokens: flow.tokens,
    differences: [...events, ...differences, ...flow.differences],
  }
}

async function moneyDifferences(
  { client, escrow }: Chain,
  books: ChainBooks,
  { token, block: blockNumber }: { token: Hex; block: bigint },
) {
  const read = { address: escrow, abi: escrowReads, blockNumber } as const
  const [wallets, workers, treasury, disputed, held] = await Promise.all([
    askEach([...books.wallets], async ([wallet, book]) => {
      const args = [wallet as `0x${string}`] as const
      const account = await client.readContract({ ...read, functionName: 'accounts', args })
      return { wallet, book, account }
    }),
    askEach([...books.shares.earned], async ([workerId, wanted]) => {
      const args = [workerId] as const
      const units = await client.readContract({ ...read, functionName: 'earnings', args })
      return { workerId, wanted, units }
    }),
    client.readContract({ ...read, functionName: 'treasuryUnits' }),
    client.readContract({ ...read, functionName: 'disputedUnits' }),
    client.readContract({
      ...{ address: token, abi: tokenReads, blockNumber },
      ...{ functionName: 'balanceOf', args: [escrow] },
    }),
  ])
  const credits = wallets.reduce((sum, { account: [a, l, t] }) => sum + a + l + t, 0n)
  const earned = workers.reduce((sum, { units }) => sum + units, 0n)
  const owed = credits * UNITS_PER_CREDIT + earned + treasury + disputed
  const differences = [
    ...wallets.flatMap(({ wallet, book, account: [available, locked, thawing] }) => [
      ...sameAmount(wallet, 'available on chain', available, book.available),
      ...sameAmount(wallet, 'locked on chain', locked, book.locked),
      ...sameAmount(wallet, 'thawing on chain', thawing, book.thawing),
    ]),
    ...workers.flatMap(({ workerId, units, wanted }) =>
      sameAmount(`worker ${workerId}`, 'earned on chain', units, wanted),
    ),
    ...sameAmount('treasury', 'earned on chain', treasury, books.shares.treasury),
    ...sameAmount('disputes', 'held on chain', disputed, books.shares.contested),
  ]
  return { differences, owed, held }
}

async function priceDifferences({ client, escrow }: Chain): Promise<Difference[]> {
  const read = { address: escrow, abi: escrowReads, functionName: 'priceOf' } as const
  const checked = await Promise.all(
    PROBES.map(async ({ tier, tokens }) => {
      const found = await client.readContract({ ...read, args: [tier, tokens] })
      const wanted = price(tier, BigInt(tokens))
      if (found === wanted) return []
      const says = `${tokens} tokens of tier ${tier} cost ${found} credits, not ${wanted}`
      return [differ('prices', says)]
    }),
  )
  return checked.flat()
}
