import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BlockWatch } from '../../../src/chain/block-watch.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { makeReader } from '../../../src/chain/reader.ts'
import { toHex32, toJobId } from '../../../src/domain/ids.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { Log } from '../../../src/telemetry/log.ts'

interface Filter {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
}

const hashOf = (number: number) => toHex32(`0x${number.toString(16).padStart(64, '0')}`)
/** What another branch adds to the hash of a block. */
const FORKED = 1_000
const contracts = {
  jobEscrow: `0x${'e5'.repeat(20)}`,
  workerStaking: `0x${'a5'.repeat(20)}`,
  deployBlock: 2,
} as unknown as Contracts

/** One of several nodes behind an address: it has blocks up to `head`, from `fork` on of another branch. */
function readerAt(
  head: number,
  fork = Number.POSITIVE_INFINITY,
  told: (hash: string) => unknown = (hash) => hash,
) {
  const asked: Filter[] = []
  const call = async (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getLogs') {
      asked.push(first as Filter)
      return []
    }
    const number = Number(first)
    const branch = (of: number) => hashOf(of < fork ? of : of + FORKED)
    return number > head
      ? null
      : { number: first, hash: told(branch(number)), parentHash: branch(number - 1) }
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
    [[3, 12]],
  )
  assert.equal(
    asked.flatMap(({ blockHash }) => blockHash ?? []).sort(),
    [13, 14, 15, 16, 17, 18, 19, 20].map(hashOf),
  )
})

for (const [what, fork, ends] of [
  ['whose last block is of another branch', 9, { end: hashOf(9) }],
  ['whose first block follows another one', 7, { after: hashOf(7), end: hashOf(9 + FORKED) }],
] as const) {
  LaggingNode(`${what}, is not believed`, async () => {
    const { reader } = readerAt(9, fork)
    try {
      await reader.facts(8, 9, ends)
      assert.unreachable('it told of blocks that nobody asked for')
    } catch (error) {
      assert.instance(error, ChainUnavailable)
    }
  })
}

LaggingNode('that has what is known of the blocks, is believed', async () => {
  const ends = { after: hashOf(7), end: hashOf(9) }
  assert.equal(await readerAt(9).reader.facts(8, 9, ends), [])
})

LaggingNode('does not pass for one to which nothing has happened to a job', async () => {
  const jobId = toJobId('job_01m808v4yhhzbyxp300v44bh1g')
  assert.equal(await readerAt(9).reader.jobFactsAt(9, jobId), [])
  assert.is(await readerAt(8).reader.jobFactsAt(9, jobId), undefined)
})

LaggingNode('is not asked for a block whose hash it does not tell', async () => {
  for (const hash of [null, undefined]) {
    const { reader, asked } = readerAt(9, undefined, () => hash)
    const told = await reader.facts(9, 9).catch((error: unknown) => error)
    assert.instance(told, ChainUnavailable)
    assert.equal(asked, [])
  }
})

LaggingNode.run()
