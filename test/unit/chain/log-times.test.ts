import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { numberToHex } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { TOPICS } from '../../../src/chain/read/facts.ts'
import { makeReader } from '../../../src/chain/read/reader.ts'
import type { BlockWatch } from '../../../src/chain/rpc/block-watch.ts'
import { toHex32 } from '../../../src/domain/ids.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { Log } from '../../../src/telemetry/log.ts'

const HEAD = 300
const ESCROW = `0x${'e5'.repeat(20)}`
const contracts = { jobEscrow: ESCROW, deployBlock: 1 } as unknown as Contracts
const hashOf = (number: number) => toHex32(numberToHex(number, { size: 32 }))

const depositIn = (number: number) => ({
  address: ESCROW,
  topics: [TOPICS.deposited, hashOf(0xca)],
  data: hashOf(10),
  blockNumber: numberToHex(number),
  blockHash: hashOf(number),
  transactionHash: hashOf(number),
  logIndex: '0x0',
})

/** Of before logs had times: one deposit a block. It refuses more than so many questions at once. */
function oldNode(atOnceMax: number) {
  let underWay = 0
  const answer = (
    method: string,
    first: { blockHash?: string; fromBlock?: string; toBlock?: string },
  ) => {
    if (method === 'eth_getBlockByNumber') {
      const number = Number(first)
      const [hash, parentHash] = [hashOf(number), hashOf(number - 1)]
      return { number: first, hash, parentHash, timestamp: numberToHex(number * 2) }
    }
    const from = Number(first.blockHash ?? first.fromBlock)
    const to = Number(first.blockHash ?? first.toBlock)
    return Array.from({ length: to - from + 1 }, (_, i) => depositIn(from + i))
  }
  const call = async (method: string, [first]: readonly unknown[]) => {
    if (underWay >= atOnceMax) throw new ChainUnavailable('too many questions')
    underWay++
    await new Promise(setImmediate)
    underWay--
    return answer(method, first as { blockHash?: string })
  }
  const rpc = { call } as unknown as Parameters<typeof makeReader>[0]['rpc']
  return makeReader({ rpc, contracts, blocks: {} as BlockWatch, log: {} as Log })
}

const LogTimes = suite('times of logs')

LogTimes('are those of their blocks, which a node is not asked for all at once', async () => {
  const facts = await oldNode(20).facts(1, HEAD)
  assert.equal(
    facts.map((fact) => fact.type === 'deposited' && [fact.block, fact.at]),
    Array.from({ length: HEAD }, (_, i) => [i + 1, (i + 1) * 2_000]),
  )
})

LogTimes.run()
