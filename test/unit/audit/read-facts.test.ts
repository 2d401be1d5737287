import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters, encodeEventTopics, type Log } from 'viem'
import { escrowEvents, jobKey, RECORD_STATUSES } from '../../../src/audit/chain/abi.ts'
import type { Chain } from '../../../src/audit/chain/connect.ts'
import { readFacts } from '../../../src/audit/verify/read-facts.ts'

/** One job, read of nodes that are not all at the same block. */
const ReadFacts = suite('verify: reading')

const WALLET = `0x${'11'.repeat(20)}` as const
const ESCROW = `0x${'e5'.repeat(20)}` as const
const TX = `0x${'aa'.repeat(32)}` as const
const KEY = jobKey('job_1')!

function log(eventName: 'JobLocked' | 'JobRefunded', blockNumber: bigint): Log {
  const args = { jobId: KEY, wallet: WALLET }
  const isLock = eventName === 'JobLocked'
  return {
    address: ESCROW,
    topics: encodeEventTopics({ abi: escrowEvents, eventName, args }),
    data: isLock
      ? encodeAbiParameters([{ type: 'uint32' }, { type: 'uint8' }], [20, 1])
      : encodeAbiParameters([{ type: 'uint32' }], [20]),
    ...{ blockNumber, blockHash: TX, transactionHash: TX, logIndex: 0, transactionIndex: 0 },
    ...{ removed: false, blockTimestamp: 0n },
  } as unknown as Log
}

type Status = (typeof RECORD_STATUSES)[number]

/** A chain with a refunded job, whose node remembers it so, one answer after the other; the last one stays. */
function chainOf(statuses: readonly Status[]): { chain: Chain; asked: () => number } {
  let asked = 0
  const record = () => {
    const status = statuses[Math.min(asked++, statuses.length - 1)]!
    const fields = { wallet: WALLET, credits: 20, tier: 1, since: 0, workerId: 0, staked: false }
    return { ...fields, status: RECORD_STATUSES.indexOf(status) }
  }
  const client = {
    readContract: async ({ functionName }: { functionName: string }) =>
      functionName === 'jobs' ? record() : functionName === 'WORKERS' ? ESCROW : 1,
    getBlock: async ({ blockNumber = 9n }) => ({ number: blockNumber, timestamp: blockNumber }),
    getCode: async () => '0x60',
    getTransaction: async () => ({ to: null, input: '0x' }),
  }
  const logs = async () => [log('JobLocked', 1n), log('JobRefunded', 2n)]
  return {
    chain: { client, escrow: ESCROW, chainId: 1, logs } as unknown as Chain,
    asked: () => asked,
  }
}

ReadFacts('memory of a node that lags behind the events: asked again', async () => {
  const { chain, asked } = chainOf(['none', 'locked', 'refunded'])
  assert.is((await readFacts(chain, KEY, null)).record.status, 'refunded')
  assert.is(asked(), 3)
})

ReadFacts('memory that never tells what the events do: told as it is', async () => {
  const { chain } = chainOf(['locked'])
  const { record, refunds } = await readFacts(chain, KEY, null)
  assert.equal([record.status, refunds.length], ['locked', 1])
})

ReadFacts.run()
