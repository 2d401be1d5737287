import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeBlockWatch } from '../../../src/chain/rpc/block-watch.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { pause, until } from '../../until.ts'

const REST_MS = 2_000

/** A node with a head, which counts how often it is asked for it. */
function makeNode({ automine }: { automine: boolean }) {
  const node = { head: 1, asked: 0 }
  const answer = (method: string): unknown => {
    if (method === 'eth_blockNumber') {
      node.asked++
      return `0x${node.head.toString(16)}`
    }
    if (automine && method === 'anvil_getAutomine') return true
    throw new RpcError(method, -32_601, 'method not found')
  }
  const call = async <Result>(method: string) => answer(method) as Result
  return { node, rpc: { call, close: async () => {} } satisfies Rpc }
}

const Watch = suite('watching for blocks')

for (const automine of [true, false]) {
  const kind = automine ? 'a node without a rhythm' : 'a node with one'

  Watch(`${kind} tells of each block, also of one that was taken back`, async () => {
    const { node, rpc } = makeNode({ automine })
    const blocks = makeBlockWatch(rpc, makeLog('test', 'silent'))
    try {
      let calls = 0
      blocks.onBlock(() => calls++)
      await until('the first head is told', async () => calls === 1)
      node.head = 5
      await until('a block is told', async () => calls === 2)
      node.head = 3
      await until('that it was taken back is told', async () => calls === 3)
    } finally {
      blocks.close()
    }
  })
}

Watch('who refuses unknown methods with a page for people is told of all the same', async () => {
  const { node, rpc } = makeNode({ automine: false })
  const behindGateway: Rpc = {
    ...rpc,
    call: async (method) => {
      if (method.startsWith('anvil_')) throw new ChainUnavailable('HTTP 403 and no result')
      return rpc.call(method)
    },
  }
  const blocks = makeBlockWatch(behindGateway, makeLog('test', 'silent'))
  try {
    let calls = 0
    blocks.onBlock(() => calls++)
    await until('the first head is told', async () => calls === 1)
    node.head = 2
    await until('a block is told', async () => calls === 2)
  } finally {
    blocks.close()
  }
})

Watch('a node that refuses is asked once a second', async () => {
  let asked = 0
  const call = async (method: string) => {
    asked++
    throw new RpcError(method, 429, 'too many requests')
  }
  const blocks = makeBlockWatch({ call, close: async () => {} }, makeLog('test', 'silent'))
  try {
    blocks.onBlock(() => {})
    await pause(REST_MS)
    assert.ok(asked <= REST_MS / 1_000 + 1, `${asked} times in ${REST_MS} ms`)
  } finally {
    blocks.close()
  }
})

Watch('a node that rests is asked less often', async () => {
  const { node, rpc } = makeNode({ automine: true })
  const blocks = makeBlockWatch(rpc, makeLog('test', 'silent'))
  try {
    blocks.onBlock(() => {})
    await until('it is asked', async () => node.asked > 0)
    await pause(1_000)
    const before = node.asked
    await pause(REST_MS)
    const most = REST_MS / 100 + 1
    assert.ok(node.asked - before <= most, `${node.asked - before} times in ${REST_MS} ms`)
  } finally {
    blocks.close()
  }
})

Watch('of two nodes behind one address the one that lags makes no blocks', async () => {
  const { node, rpc } = makeNode({ automine: false })
  const LAG_BLOCKS = 3
  let lags = false
  const either: Rpc = {
    ...rpc,
    call: async <Result>(method: string) => {
      const told = await rpc.call<string>(method)
      lags = !lags
      return `0x${(Number(told) - (lags ? LAG_BLOCKS : 0)).toString(16)}` as Result
    },
  }
  node.head = 100
  const blocks = makeBlockWatch(either, makeLog('test', 'silent'))
  const now = performance.now.bind(performance)
  try {
    blocks.onBlock(() => {})
    await until('both are asked', async () => node.asked > 2)
    // A block after so long: it is looked for five times a second from then on.
    performance.now = () => now() + 6_500
    node.head++
    await pause(500)
    const before = node.asked
    await pause(REST_MS)
    const most = REST_MS / 200 + 2
    assert.ok(node.asked - before <= most, `${node.asked - before} times in ${REST_MS} ms`)
  } finally {
    performance.now = now
    blocks.close()
  }
})

Watch('nobody is asked while nobody listens', async () => {
  const { node, rpc } = makeNode({ automine: true })
  const blocks = makeBlockWatch(rpc, makeLog('test', 'silent'))
  const end = blocks.onBlock(() => {})
  await until('it is asked', async () => node.asked > 0)
  end()
  await pause(50)
  const before = node.asked
  await pause(300)
  assert.is(node.asked, before)
  blocks.close()
})

Watch.run()
