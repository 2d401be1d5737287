import { type Hex, pad, parseEventLogs, toEventSelector } from 'viem'
import { tokenEvents } from '../chain/abi.ts'
import type { Chain } from '../chain/connect.ts'
import type { ChainBooks } from './chain-books.ts'
import { type Difference, differ, sameAmount } from './difference.ts'
import { UNITS_PER_CREDIT } from './rules.ts'

/** The escrow's token units, by the token's own account of them. */
export interface Tokens {
  readonly held: bigint
  readonly owed: bigint
  /** Sent to the escrow without a deposit, which anybody can do. They are nobody's credits. */
  readonly unasked: bigint
}

interface Reading {
  readonly token: Hex
  readonly until: bigint
  readonly held: bigint
  /** Token units that the contract says it owes. */
  readonly owed: bigint
}

/** Holds every transfer to and from the escrow against its books. */
export async function readTokens(
  chain: Chain,
  books: ChainBooks,
  { token, until, held, owed }: Reading,
): Promise<{ tokens: Tokens; differences: Difference[] }> {
  const escrow = pad(chain.escrow)
  const [came, went] = await Promise.all([
    transferred(chain, token, [null, escrow], until),
    transferred(chain, token, [escrow], until),
  ])
  const wallets = [...books.wallets.values()]
  const deposited = wallets.reduce((sum, each) => sum + each.deposited, 0n) * UNITS_PER_CREDIT
  const withdrawn = wallets.reduce((sum, each) => sum + each.withdrawn, 0n) * UNITS_PER_CREDIT
  const unasked = came - deposited
  const differences = [
    ...sameAmount('escrow', 'what the token has paid out of it', went, paidOut(books, withdrawn)),
    ...(unasked < 0n
      ? [
          differ(
            'escrow',
            `was credited ${deposited} token units, but only ${came} have come`,
            'what was credited',
          ),
        ]
      : []),
    ...(held === came - went
      ? []
      : [
          differ(
            'escrow',
            `holds ${held} token units, but by the transfers ${came - went}`,
            'what it holds by the transfers',
          ),
        ]),
    ...(held === owed + unasked
      ? []
      : [
          differ(
            'escrow',
            `holds ${held} token units, but owes ${owed}, and ${unasked} came unasked`,
            'what it holds and owes',
          ),
        ]),
  ]
  return { differences, tokens: { held, owed, unasked } }
}

const paidOut = ({ shares }: ChainBooks, withdrawn: bigint): bigint => withdrawn + shares.claimed

const TRANSFER = toEventSelector(tokenEvents[0])

async function transferred(
  chain: Chain,
  token: Hex,
  parties: readonly (Hex | null)[],
  until: bigint,
): Promise<bigint> {
  const logs = await chain.logs(token, [TRANSFER, ...parties], { until })
  const transfers = parseEventLogs({ abi: tokenEvents, logs })
  return transfers.reduce((sum, { args }) => sum + args.value, 0n)
}
