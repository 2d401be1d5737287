import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters, encodeEventTopics, type Hex, pad } from 'viem'
import { jobEscrowAbi } from '../../../../src/chain/abi.ts'
import type { WebConfig } from '../../../../src/web/api.ts'
import { readHistory } from '../../../../src/web/app/chain/history.ts'
import { type LogSearch, readEventsBack } from '../../../../src/web/app/chain/logs.ts'
import { makeFakeHouse } from '../../../fakes/web/fake-house.ts'

const History = suite('events of the chain, back from the latest block')

/** A node that answers for a thousand blocks at a time. */
const SPAN_MOST = 1_000
let head = 20_000
let blocksWithEvents: readonly number[] = []
/** How many ranges of blocks were answered. */
let reads = 0
let refusals = 0
/** It refuses everything for now. */
let isOff = false

const WALLET: Hex = `0x${'ab'.repeat(20)}`
const { config } = makeFakeHouse('http://chain.test', 0)
const onNode = (name: string): WebConfig => ({
  ...config,
  chain: { ...config.chain, rpc_url: `http://${name}.test` },
  contracts: { ...config.contracts, deploy_block: 0 },
})

const locked = {
  topics: encodeEventTopics({
    ...{ abi: jobEscrowAbi, eventName: 'JobLocked' },
    args: { jobId: pad('0x1'), wallet: WALLET },
  }),
  data: encodeAbiParameters([{ type: 'uint64' }, { type: 'uint8' }], [8n, 1]),
}
const search: LogSearch = { address: [config.contracts.job_escrow], topics: [[]] }

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: readonly { readonly fromBlock: Hex; readonly toBlock: Hex }[]
}

function answerTo({ id, method, params }: RpcCall) {
  if (method === 'eth_blockNumber') return { id, jsonrpc: '2.0', result: `0x${head.toString(16)}` }
  const [from, to] = [Number(params[0]!.fromBlock), Number(params[0]!.toBlock)]
  if (isOff || to - from >= SPAN_MOST) {
    refusals++
    return { id, jsonrpc: '2.0', error: { code: -32_602, message: 'range too wide' } }
  }
  reads++
  const result = blocksWithEvents
    .filter((block) => block >= from && block <= to)
    .map((block) => ({
      ...locked,
      address: config.contracts.job_escrow,
      transactionHash: pad(`0x${block.toString(16)}`),
      blockNumber: `0x${block.toString(16)}`,
      logIndex: '0x0',
    }))
  return { id, jsonrpc: '2.0', result }
}

const { fetch } = globalThis
History.before(() => {
  globalThis.fetch = async (_url, init) => {
    const asked = JSON.parse(String(init?.body)) as RpcCall | RpcCall[]
    return Response.json(Array.isArray(asked) ? asked.map(answerTo) : answerTo(asked))
  }
})
History.before.each(() => {
  head = 20_000
  reads = 0
})
History.after(() => {
  globalThis.fetch = fetch
})

const blocksOf = ({ events }: { readonly events: readonly { readonly block: bigint }[] }) =>
  events.map(({ block }) => Number(block))

History('what one look does not reach, the next ones do', async () => {
  const web = onNode('a')
  blocksWithEvents = [100, 19_990]
  const first = await readHistory(web, search, 50)
  assert.equal(blocksOf(first), [19_990])
  assert.not.equal(first.next, null)
  let page = first
  for (let looks = 0; page.next !== null && looks < 5; looks++) {
    head++
    page = await readHistory(web, search, 50)
  }
  assert.equal(blocksOf(page), [19_990, 100])
  reads = 0
  refusals = 0
  head += 10
  blocksWithEvents = [100, 19_990, head]
  assert.equal(blocksOf(await readHistory(web, search, 50)), [head, 19_990, 100])
  assert.equal([reads, refusals], [1, 0], 'only what is new is asked for')
})

History('what was replaced meanwhile is gone, and nothing is there twice', async () => {
  const web = onNode('b')
  blocksWithEvents = [15_000, 19_999]
  for (let looks = 0; looks < 5; looks++) await readHistory(web, search, 50)
  blocksWithEvents = [15_000, 20_001]
  head = 20_002
  assert.equal(blocksOf(await readHistory(web, search, 50)), [20_001, 15_000])
})

History('one that refused everything for a moment is asked for as much as before', async () => {
  const web = onNode('g')
  const reading = { enough: 50, before: undefined }
  blocksWithEvents = [16_000]
  isOff = true
  const failed = await readEventsBack(web, search, reading).catch((error: unknown) => error)
  assert.instance(failed, Error)
  isOff = false
  assert.equal(blocksOf(await readEventsBack(web, search, reading)), [16_000])
  reads = 0
  refusals = 0
  await readEventsBack(web, search, reading)
  assert.equal([reads, refusals], [8, 0], 'what it takes is known by then')
})

History('a gap that is too wide for one look is read from its new end on', async () => {
  const web = onNode('c')
  blocksWithEvents = [19_990]
  await readHistory(web, search, 50)
  head = 60_000
  blocksWithEvents = [19_990, 59_000]
  assert.equal(blocksOf(await readHistory(web, search, 50)), [59_000])
  let page = await readHistory(web, search, 50)
  for (let looks = 0; page.next !== null && looks < 20; looks++) {
    head++
    page = await readHistory(web, search, 50)
  }
  assert.equal(blocksOf(page), [59_000, 19_990])
})

History('a node that lags takes nothing back', async () => {
  const web = onNode('d')
  blocksWithEvents = [19_990]
  await readHistory(web, search, 50)
  head = 19_000
  assert.equal(blocksOf(await readHistory(web, search, 50)), [19_990])
})

History('of a chain that is younger than what may change all is read again', async () => {
  const web = onNode('f')
  head = 10
  blocksWithEvents = [3]
  assert.equal(blocksOf(await readHistory(web, search, 50)), [3])
  head = 12
  blocksWithEvents = [3, 11]
  assert.equal(blocksOf(await readHistory(web, search, 50)), [11, 3])
})

History('nothing is looked for that is older than the first event of all', async () => {
  blocksWithEvents = [19_990]
  const reading = { enough: 20, before: undefined }
  const begun = await readEventsBack(onNode('e'), search, { ...reading, first: 'JobLocked' })
  assert.is(begun.next, null)
  assert.is(reads, 1)
  assert.not.equal((await readEventsBack(onNode('e'), search, reading)).next, null)
})

History(
  'of what is enough, no more is kept than may change; what was on another branch is none',
  async () => {
    const web = onNode('surplus')
    head = 900
    blocksWithEvents = [100, 200, 300, 400, 890, 895]
    assert.equal(blocksOf(await readHistory(web, search, 1)), [895, 890, 400, 300])
    head = 910
    blocksWithEvents = [100, 200, 300, 400]
    assert.equal(blocksOf(await readHistory(web, search, 1)), [400, 300])
    head = 2_000
    blocksWithEvents = [100, 200, 300, 400, 1_100]
    assert.equal(blocksOf(await readHistory(web, search, 1)), [1_100, 400])
  },
)

History.run()
