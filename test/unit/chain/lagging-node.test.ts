import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BlockWatch } from '../../../src/chain/block-watch.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { makeReader } from '../../../src/chain/reader.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { Log } from '../../../src/telemetry/log.ts'

interface Filter {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
}

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const contracts = {
  jobEscrow: `0x${'e5'.repeat(20)}`,
  workerStaking: `0x${'a5'.repeat(20)}`,
  deployBlock: 2,
} as unknown as Contracts

/** One of several nodes behind an address: it has blocks up to `head`. */
function readerAt(head: number) {
  const asked: Filter[] = []
  const call = async (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getLogs') {
      asked.push(first as Filter)
      return []
    }
    const number = Number(first)
    return number > head ? null : { number: first, hash: hashOf(number), parentHash: hashOf(0) }
  }
  const rpc = { call } as unknown as Parameters<typeof makeReader>[0]['rpc']
  const reader = makeReader({ rpc, contracts, blocks: {} as BlockWatch, log: {} as Log })
  return { reader, asked }
}

const LaggingNode = suite('a node that lags behind')

LaggingNode('does not pass for one whose new blocks are empty', async () => {
  const { reader } = readerAt(8)
  try {
    await reader.facts(9, 9)
    assert.unreachable('it answered for a block that it does not have')
  } catch (error) {
    assert.instance(error, ChainUnavailable)
  }
})

LaggingNode('is asked for the newest blocks one by one, by their hashes', async () => {
  const { reader, asked } = readerAt(20)
  assert.equal(await reader.facts(3, 20), [])
  const ranges = asked.filter(({ blockHash }) => blockHash === undefined)
  assert.equal(
    ranges.map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)]),
    [[3, 16]],
  )
  assert.equal(
    asked.flatMap(({ blockHash }) => blockHash ?? []).sort(),
    [17, 18, 19, 20].map(hashOf),
  )
})

LaggingNode('does not pass for one to which nothing has happened to a job', async () => {
  const jobId = toJobId('job_01m808v4yhhzbyxp300v44bh1g')
  assert.equal(await readerAt(9).reader.jobFactsAt(9, jobId), [])
  assert.is(await readerAt(8).reader.jobFactsAt(9, jobId), undefined)
})

LaggingNode.run()
