import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionResult, numberToHex } from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { TOPICS } from '../../../src/chain/read/facts.ts'
import { readJobLogs } from '../../../src/chain/read/job-logs.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { toJobId } from '../../../src/domain/ids.ts'

const JOB = toJobId('job_01m808v4yhhzbyxp300v44bh1g')
const HEAD = 1_000_000
const contracts = { jobEscrow: `0x${'e5'.repeat(20)}`, deployBlock: 2 } as unknown as Contracts

const RECORD = {
  wallet: `0x${'ca'.repeat(20)}`,
  ...{ credits: 1, tier: 0, since: 0, workerId: 0, staked: false },
} as const

interface Entry {
  readonly block: number
  readonly topic: string
}

/** A node that answers for `spanMax` blocks at a time. */
function nodeOf(entries: readonly Entry[], spanMax: number) {
  let asked = 0
  const logs = ({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) => {
    asked++
    const [from, to] = [Number(fromBlock), toBlock === 'latest' ? HEAD : Number(toBlock)]
    if (to - from >= spanMax) throw new RpcError('eth_getLogs', -32_602, 'range is too large')
    return entries
      .filter(({ block }) => block >= from && block <= to)
      .map(({ block, topic }) => ({ blockNumber: numberToHex(block), topics: [topic] }))
  }
  const record = () =>
    encodeFunctionResult({
      abi: jobEscrowAbi,
      functionName: 'jobs',
      result: { ...RECORD, status: entries.some(({ topic }) => topic === TOPICS.locked) ? 1 : 0 },
    })
  const call = async (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getLogs') return logs(first as Parameters<typeof logs>[0])
    return method === 'eth_call' ? record() : numberToHex(HEAD)
  }
  const read = async () => {
    const found = await readJobLogs({ call } as unknown as Rpc, contracts, JOB)
    return found.map(({ blockNumber }) => Number(blockNumber))
  }
  return { read, asked: () => asked }
}

const LIVED = [
  { block: HEAD - 15_000, topic: TOPICS.locked },
  { block: HEAD - 4_990, topic: TOPICS.settled },
  { block: HEAD - 3, topic: TOPICS.disputed },
]
const BLOCKS = LIVED.map(({ block }) => block)

const JobLogs = suite("a job's logs")

JobLogs('are asked for in one question where the node takes it', async () => {
  const node = nodeOf(LIVED, Number.POSITIVE_INFINITY)
  assert.equal(await node.read(), BLOCKS)
  assert.is(node.asked(), 1)
})

for (const spanMax of [10_000, 1_024, 100]) {
  JobLogs(`are all found on a node that answers for ${spanMax} blocks at a time`, async () => {
    const node = nodeOf(LIVED, spanMax)
    assert.equal(await node.read(), BLOCKS)
    assert.ok(node.asked() < 15_000 / (spanMax / 2) + 10, `asked ${node.asked()} times`)
  })
}

JobLogs('that the escrow does not know are not searched for', async () => {
  const node = nodeOf([{ block: 9, topic: TOPICS.skipped }], 10_000)
  assert.equal(await node.read(), [])
  assert.is(node.asked(), 1)
})

JobLogs('are not taken for none where the node refuses every range', async () => {
  try {
    await nodeOf(LIVED, 0).read()
    assert.unreachable('it has answered')
  } catch (error) {
    assert.instance(error, RpcError)
  }
})

JobLogs.run()
