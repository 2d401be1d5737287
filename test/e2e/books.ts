import * as assert from 'uvu/assert'
import { createPublicClient } from 'viem'
import { nameOf } from '../../src/audit/books/difference.ts'
import { readMoney } from '../../src/audit/books/read-chain.ts'
import { emptyWallet } from '../../src/audit/books/wallet-book.ts'
import { connectChain } from '../../src/audit/chain/connect.ts'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import type { Network } from '../network/network.ts'
import { until } from '../until.ts'
import { type JobOnChain, jobsOnChain } from './chain-ledger.ts'

/**
 * The auditor of `npm run audit`, which has its own arithmetic, pointed at the chain alone: it asks
 * the house nothing but what it shows to a caller.
 */
export interface Books {
  readonly jobs: ReadonlyMap<string, JobOnChain>
  /** Credits that the wallet can spend, by the chain. */
  readonly available: bigint
}

/** What anybody can look at, and one wallet's key. */
export type Seen = Pick<
  Network,
  'rpc_url' | 'chain_id' | 'contracts' | 'wallet' | 'base_urls' | 'api_key'
>

const LOOK_MS = 100

/**
 * Waits until nothing is locked, then checks every entry since the first block, and that the house
 * tells the same balance.
 * @throws naming each thing that is wrong, or what is still locked at the deadline
 */
export async function audit(network: Seen, withinMs: number): Promise<Books> {
  const deadline = performance.now() + withinMs
  let wrong: readonly string[] = []
  let wasBroken = false
  do {
    const read = await readChain(network).catch((error: unknown) => String(error))
    if (typeof read === 'string') wrong = [`the chain cannot be read: ${read}`]
    else {
      wrong = [...read.flaws, ...unfinished(read)]
      // What is unfinished may only be slow, and what is broken stays broken: a development node that makes a block
      // in that moment may tell the state of it for that of the block before.
      const isBroken = read.flaws.length > 0
      if (isBroken && wasBroken) break
      wasBroken = isBroken
      if (wrong.length === 0) wrong = await accountFlaws(network, read.account.available)
      if (wrong.length === 0) return { jobs: read.jobs, available: read.account.available }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  } while (performance.now() < deadline)
  throw new Error(`the books are wrong after ${withinMs} ms:\n${wrong.slice(0, 20).join('\n')}`)
}

interface Reading {
  readonly jobs: ReadonlyMap<string, JobOnChain>
  readonly flaws: readonly string[]
  readonly account: { readonly available: bigint; readonly locked: bigint }
}

const unfinished = ({ jobs, account }: Reading): string[] => [
  ...[...jobs].flatMap(([id, { end }]) => (end ? [] : [`${id} is locked and has no end`])),
  ...(account.locked === 0n ? [] : [`${account.locked} credits are locked`]),
]

async function readChain(network: Seen): Promise<Reading> {
  const { rpc_url: rpcUrl, chain_id: chainId, contracts, wallet } = network
  const escrow = contracts.job_escrow as `0x${string}`
  const chain = await connectChain({ rpcUrl, chainId, escrow, deployBlock: 0n })
  const { books, differences } = await readMoney(chain)
  const account = books.wallets.get(wallet.address.toLowerCase()) ?? emptyWallet()
  return { jobs: jobsOnChain(books), flaws: differences.map(nameOf), account }
}

async function accountFlaws(network: Seen, available: bigint): Promise<readonly string[]> {
  const flaws = await Promise.all(
    network.base_urls.map(async (url) => {
      const answer = await fetch(`${url}/account`, {
        headers: { authorization: `Bearer ${network.api_key}` },
        signal: AbortSignal.timeout(30_000),
      }).catch((error: unknown) => String(error))
      if (typeof answer === 'string' || !answer.ok) {
        const why = typeof answer === 'string' ? answer : await answer.text()
        return [`the account cannot be read: ${why}`]
      }
      const { credits_remaining: told } = (await answer.json()) as { credits_remaining: number }
      return BigInt(told) === available
        ? []
        : [`the account tells ${told} credits, the chain ${available}`]
    }),
  )
  return flaws.flat()
}

/** Every job that the chain has a lock of, at this moment. */
export async function lockedJobs(network: Seen): Promise<ReadonlyMap<string, JobOnChain>> {
  let why: unknown
  const look = () =>
    readChain(network).catch((error: unknown) => {
      // A node that is mining may lose the block that is asked about.
      why = error
      return undefined
    })
  const { jobs } = await until('the chain to be read', look).catch((error: unknown) => {
    throw new Error(String(error), { cause: why })
  })
  return jobs
}

/** Until the transaction is in a block. @throws when it did not do what it was sent for */
export async function untilMined(network: Network, hash: string): Promise<void> {
  const client = createPublicClient({
    transport: headFollowing(network.rpc_url, { timeout: 30_000 }),
  })
  const receipt = await until(`a block with ${hash}`, () =>
    client.getTransactionReceipt({ hash: hash as `0x${string}` }).catch(() => undefined),
  )
  assert.is(receipt.status, 'success')
}
