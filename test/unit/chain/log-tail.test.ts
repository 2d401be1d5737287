import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { numberToHex } from 'viem'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeLogTail } from '../../../src/chain/rpc/log-tail.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'

const LogTail = suite('the logs since the last look')

const SPAN_MAX = 100

interface Range {
  readonly fromBlock: string
  readonly toBlock: string
}

/** A log in every tenth block of a chain that gives 100 blocks at a time, and is away from `awayAt` on. */
function tailOf(deployBlock: number) {
  const chain = { awayAt: Number.POSITIVE_INFINITY }
  const asked: number[] = []
  const call = async (_method: string, [{ fromBlock, toBlock }]: readonly [Range]) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from >= SPAN_MAX) throw new RpcError('eth_getLogs', -32_600, 'too many')
    if (to >= chain.awayAt) throw new ChainUnavailable('no answer')
    asked.push(from)
    const blocks = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    return blocks
      .filter((block) => block % 10 === 0)
      .map((block) => ({ blockNumber: numberToHex(block) }))
  }
  const filter = { address: `0x${'e5'.repeat(20)}`, topics: [] } as never
  const tail = makeLogTail({
    ...{ rpc: { call } as unknown as Rpc, contracts: { deployBlock }, filter },
  })
  const found = new Set<number>()
  const look = (to: number) =>
    tail(to, (logs) => {
      for (const { blockNumber } of logs) found.add(Number(blockNumber))
    })
  return { chain, asked, found, look }
}

LogTail('a first look that fails in the middle is gone on with, not begun anew', async () => {
  const { chain, asked, found, look } = tailOf(5)
  chain.awayAt = 700
  const failure = await look(1_000).catch((error: unknown) => error)
  assert.instance(failure, ChainUnavailable)
  assert.ok(found.has(600))
  asked.length = 0
  chain.awayAt = Number.POSITIVE_INFINITY
  await look(1_000)
  assert.ok(Math.min(...asked) > 500, `${asked}`)
  assert.is(found.size, 100)
})

LogTail('later looks read what is new, and the latest 64 blocks once more', async () => {
  const { asked, found, look } = tailOf(5)
  await look(300)
  asked.length = 0
  await look(310)
  assert.equal(asked, [237])
  assert.ok(found.has(310))
  await look(3)
  assert.is(found.size, 31)
})

LogTail.run()
