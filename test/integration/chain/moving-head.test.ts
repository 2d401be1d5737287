import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient } from 'viem'
import { makeRpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { headFollowing, OVERTAKEN_TRIES } from '../../../src/chain/rpc/moving-head.ts'
import { type RpcAnswer, type RpcBetween, startBetween } from '../../fakes/chain/rpc-between.ts'

const WALLET = `0x${'11'.repeat(20)}` as const
const OVERTAKEN: RpcAnswer = {
  error: {
    code: -32_602,
    message: 'BlockOutOfRangeError: block height is 106 but requested was 105',
  },
}

let node: RpcBetween
let asked = 0

const MovingHead = suite('a head that moves between question and answer')

MovingHead.before(async () => {
  // Nothing is behind it: each test answers for the node.
  node = await startBetween('http://127.0.0.1:1')
})
MovingHead.after(() => node.close())

/** A node that is overtaken by blocks so many times, and then answers. */
function overtaken(times: number): void {
  asked = 0
  node.answer = async () => (++asked <= times ? OVERTAKEN : { result: '0x7' })
}

MovingHead('is asked again about latest', async () => {
  const rpc = makeRpc(node.url)
  try {
    overtaken(2)
    assert.is(await rpc.call('eth_getBalance', [WALLET, 'latest']), '0x7')
    assert.is(asked, 3)
  } finally {
    await rpc.close()
  }
  overtaken(2)
  const client = createPublicClient({ transport: headFollowing(node.url, { retryCount: 0 }) })
  assert.is(await client.getBalance({ address: WALLET }), 7n)
  assert.is(asked, 3)
})

MovingHead('is not asked again about a block that stays gone, nor for ever', async () => {
  const rpc = makeRpc(node.url)
  const refusalOf = async (block: string) =>
    rpc.call('eth_getBalance', [WALLET, block]).then(
      () => assert.unreachable('it answered'),
      (error: unknown) => error,
    )
  try {
    overtaken(Number.POSITIVE_INFINITY)
    assert.instance(await refusalOf('0x69'), RpcError)
    assert.is(asked, 1)
    overtaken(Number.POSITIVE_INFINITY)
    assert.instance(await refusalOf('latest'), RpcError)
    assert.is(asked, OVERTAKEN_TRIES)
  } finally {
    await rpc.close()
  }
})

MovingHead.run()
