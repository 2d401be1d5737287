import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { numberToHex } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { makeReader } from '../../../src/chain/read/reader.ts'
import type { BlockWatch } from '../../../src/chain/rpc/block-watch.ts'
import { RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { readNewLogs } from '../../../src/chain/rpc/new-logs.ts'
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

interface Told {
  readonly told?: (hash: string) => unknown
  /** Blocks of which it tells a log, where it is asked for a range. */
  readonly logsOf?: (range: Filter) => readonly number[]
  /** Whether it tells the logs of a block in place of which it has another. */
  readonly isGone?: (number: number) => boolean
  /** From one block to the next. */
  readonly blockMs?: number
}

const branchHash = (number: number, fork: number) =>
  hashOf(number < fork ? number : number + FORKED)

/** Of a contract that is not ours: who decodes it passes it over. */
const logIn = (number: number, isGone: boolean) => ({
  ...{ address: `0x${'0e'.repeat(20)}`, topics: [], data: '0x' },
  blockNumber: `0x${number.toString(16)}`,
  blockHash: branchHash(number, isGone ? number : Number.POSITIVE_INFINITY),
})

/** One of several nodes behind an address: it has blocks up to `head`, from `fork` on of another branch. */
function readerAt(
  head: number,
  fork = Number.POSITIVE_INFINITY,
  { told = (hash) => hash, logsOf = () => [], isGone = () => false, blockMs = 2_000 }: Told = {},
) {
  const asked: Filter[] = []
  const call = async (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getLogs') {
      const filter = first as Filter
      asked.push(filter)
      return filter.blockHash === undefined
        ? logsOf(filter).map((number) => logIn(number, isGone(number)))
        : []
    }
    const number = Number(first)
    const branch = (of: number) => branchHash(of, fork)
    return number > head
      ? null
      : {
          ...{ number: first, hash: told(branch(number)), parentHash: branch(number - 1) },
          timestamp: numberToHex(Math.floor((number * blockMs) / 1_000)),
        }
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

const BUSY = { logsOf: ({ fromBlock, toBlock }: Filter) => [Number(fromBlock), Number(toBlock)] }
const SEEN = { after: hashOf(12), end: hashOf(20) }

LaggingNode('that shows that it has the first and the last block, is asked once', async () => {
  const { reader, asked } = readerAt(20, undefined, BUSY)
  await reader.facts(13, 20, SEEN)
  assert.equal(
    asked.map(({ blockHash }) => blockHash),
    [undefined],
  )
})

for (const [what, told] of [
  ['has another last block', { ...BUSY, isGone: (number: number) => number === 20 }],
  ['has another first block by then', { ...BUSY, isGone: (number: number) => number === 13 }],
  ['tells nothing of the first block', { logsOf: () => [14, 20] }],
  ['tells nothing of the last block', { logsOf: () => [13, 19] }],
] as const) {
  LaggingNode(`that ${what}, is asked block by block`, async () => {
    const { reader, asked } = readerAt(20, undefined, told)
    await reader.facts(13, 20, SEEN)
    assert.is(asked.filter(({ blockHash }) => blockHash).length, 8)
  })
}

/** A node of one branch that is asked for logs by hash in vain. */
function plainNode(byHash: (filter: Filter) => unknown, moved = (_number: number) => 0) {
  const plain: Filter[] = []
  const call = async (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getLogs') {
      const filter = first as Filter
      if (filter.blockHash !== undefined) return byHash(filter)
      plain.push(filter)
      return [logIn(15, false)]
    }
    const number = Number(first)
    const fork = plain.length > 0 ? moved(number) : 0
    return { number: first, hash: hashOf(number + fork), parentHash: hashOf(number - 1) }
  }
  const rpc = { call } as unknown as Parameters<typeof readNewLogs>[0]
  const filter = { address: contracts.jobEscrow, topics: [] }
  const ends = { after: hashOf(12), end: hashOf(20) }
  const read = () => readNewLogs(rpc, { from: 13, to: 20, filter, ends })
  return { read, ranges: () => plain.map((each) => [Number(each.fromBlock), Number(each.toBlock)]) }
}
const refusing =
  (reason: string, code = -32_602) =>
  () => {
    throw new RpcError('eth_getLogs', code, reason)
  }

for (const [how, byHash] of [
  ['refuses hashes', refusing('invalid argument 0: unknown field "blockHash"')],
  ['wants a range', refusing('Invalid params: missing field `fromBlock`')],
  ['says so without a number', refusing('blockHash is not supported', -32_000)],
  ['tells of its newest block, whatever the hash', () => [logIn(99, false)]],
] as const) {
  LaggingNode(`that ${how}, is asked for the range, and what came meanwhile is seen`, async () => {
    const { read, ranges } = plainNode(byHash)
    const logs = await read()
    assert.equal(
      logs.map(({ blockNumber }) => Number(blockNumber)),
      [15],
    )
    assert.equal(ranges().at(-1), [13, 20])
    const left = plainNode(byHash, (number) => (number === 20 ? FORKED : 0))
    assert.instance(await left.read().catch((error: unknown) => error), ChainUnavailable)
  })
}

LaggingNode('that lacks the block of a hash, is not asked for the range', async () => {
  for (const reason of [
    'unknown block',
    'block not found: hash 0x0d',
    'blockHash 0x0d does not exist',
  ]) {
    const { read, ranges } = plainNode(refusing(reason, -32_000))
    assert.instance(await read().catch((error: unknown) => error), RpcError)
    assert.equal(ranges(), [[13, 20]], 'but for the one question that may show all')
  }
})

LaggingNode('does not pass for one to which nothing has happened to a job', async () => {
  const jobId = toJobId('job_01m808v4yhhzbyxp300v44bh1g')
  assert.equal(await readerAt(9).reader.jobFactsAt(9, jobId), [])
  assert.is(await readerAt(8).reader.jobFactsAt(9, jobId), undefined)
})

for (const [what, blockMs, unsure] of [
  ['a block in twelve seconds', 12_000, 4],
  ['two blocks a second', 500, 6],
  ['four blocks a second', 250, 12],
  ['a block for each transaction', 1, 16],
] as const) {
  LaggingNode(`of a chain with ${what}, may lack ${unsure} of them`, async () => {
    const jobId = toJobId('job_01m808v4yhhzbyxp300v44bh1g')
    const { reader, asked } = readerAt(100, undefined, { blockMs })
    await reader.jobFactsAt(100, jobId)
    const byHash = asked.flatMap(({ blockHash }) => blockHash ?? [])
    assert.equal(
      byHash.sort(),
      Array.from({ length: unsure }, (_, i) => hashOf(101 - unsure + i)),
    )
  })
}

LaggingNode('is not asked for a block whose hash it does not tell', async () => {
  for (const hash of [null, undefined]) {
    const { reader, asked } = readerAt(9, undefined, { told: () => hash })
    const told = await reader.facts(9, 9).catch((error: unknown) => error)
    assert.instance(told, ChainUnavailable)
    assert.equal(asked, [])
  }
})

LaggingNode.run()
