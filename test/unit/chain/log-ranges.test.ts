import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { numberToHex } from 'viem'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { readLogs } from '../../../src/chain/rpc/log-ranges.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'

interface Range {
  readonly fromBlock: string
  readonly toBlock: string
}

/** A node that answers for so many blocks at a time, with a log of every tenth. */
function readAt(
  spanMax: number,
  refusal: Error = new RpcError('eth_getLogs', -32_600, 'too many'),
) {
  const answered: [number, number][] = []
  const call = async (_method: string, [{ fromBlock, toBlock }]: readonly [Range]) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from >= spanMax) throw refusal
    answered.push([from, to])
    const blocks = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    return blocks
      .filter((block) => block % 10 === 0)
      .map((at) => ({ blockNumber: numberToHex(at) }))
  }
  const filter = { address: `0x${'e5'.repeat(20)}`, topics: [] } as never
  const read = async (from: number, to: number) => {
    const logs = await readLogs({ call } as unknown as Rpc, filter, from, to)
    return logs.map(({ blockNumber }) => Number(blockNumber))
  }
  return { read, answered }
}

const LogRanges = suite('logs of a range of blocks')

LogRanges('come in one answer where the node gives it', async () => {
  const { read, answered } = readAt(1_000)
  assert.equal(await read(5, 40), [10, 20, 30, 40])
  assert.equal(answered, [[5, 40]])
})

for (const spanMax of [10, 5, 1]) {
  LogRanges(`come each once, in order, from a node that answers for ${spanMax}`, async () => {
    const { read, answered } = readAt(spanMax)
    assert.equal(await read(5, 60), [10, 20, 30, 40, 50, 60])
    assert.is(
      answered.map(([from, to]) => to - from + 1).reduce((sum, each) => sum + each),
      56,
    )
  })
}

LogRanges('are not asked for in parts of a node that is away, or refuses any', async () => {
  for (const [spanMax, refusal] of [
    [10, new ChainUnavailable('no answer')],
    [0, new RpcError('eth_getLogs', -32_601, 'no such method')],
  ] as const) {
    const { read, answered } = readAt(spanMax, refusal)
    const error = await read(5, 60).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.is(error, refusal)
    assert.equal(answered, [])
  }
})

LogRanges.run()
