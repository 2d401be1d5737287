import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters, encodeEventTopics, type Log } from 'viem'
import { readOn } from '../../../src/audit/books/read-events.ts'
import { escrowEvents } from '../../../src/audit/chain/abi.ts'
import type { Chain } from '../../../src/audit/chain/connect.ts'

/** Events that are read on from where the auditor was. */
const ReadOn = suite('audit: reading on')

const WALLET = `0x${'11'.repeat(20)}` as const
const ESCROW = `0x${'e5'.repeat(20)}` as const

const hashOf = (block: bigint) => `0x${block.toString(16).padStart(64, '0')}` as const

/** A deposit of one credit. */
function depositIn(blockNumber: bigint): Log {
  const args = { payer: WALLET, wallet: WALLET }
  return {
    address: ESCROW,
    topics: encodeEventTopics({ abi: escrowEvents, eventName: 'Deposited', args }),
    data: encodeAbiParameters([{ type: 'uint48' }], [1]),
    ...{ blockNumber, blockHash: hashOf(blockNumber), transactionHash: hashOf(blockNumber) },
    ...{ logIndex: 0, transactionIndex: 0, removed: false, blockTimestamp: 0n },
  } as unknown as Log
}

/** A deposit in each block, and `head` of whichever of its nodes answers. */
function chainAt(head: () => bigint): Chain {
  const block = (number: bigint) => ({ number, hash: hashOf(number) })
  const getBlock = async (about?: { blockNumber: bigint }) => block(about?.blockNumber ?? head())
  const logs: Chain['logs'] = async (_address, _topics, { from = 1n, until = 0n } = {}) =>
    from > until
      ? []
      : Array.from({ length: Number(until - from) + 1 }, (_, i) => depositIn(from + BigInt(i)))
  return { client: { getBlock }, escrow: ESCROW, logs } as unknown as Chain
}

ReadOn('a head of a node that lags behind what was read: nothing is entered twice', async () => {
  let head = 5n
  const chain = chainAt(() => head)
  const deposited = (books: Awaited<ReturnType<typeof readOn>>['books']) =>
    books.wallets.get(WALLET)?.deposited
  const first = await readOn(chain)
  assert.is(deposited(first.books), 5n)
  head = 3n
  const behind = await readOn(chain, first)
  assert.is(deposited(behind.books), 3n, 'as of the head that it names')
  head = 6n
  assert.is(deposited((await readOn(chain, behind)).books), 6n)
})

ReadOn.run()
