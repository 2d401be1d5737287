import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { readFees, readFeesInstead } from '../../../src/chain/send/fees.ts'
import { ChainUnavailable, type Hex } from '../../../src/ports/escrow.ts'

const GWEI = 1_000_000_000n
const TIP_MIN = 10_000_000n
const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** A node with a base fee of 7 gwei that knows these methods, and no `eth_feeHistory`. */
function makeNode(known: Readonly<Record<string, bigint>>): Rpc {
  const call = async (method: string) => {
    if (method === 'eth_getBlockByNumber') return { hash: '0x0b', baseFeePerGas: hex(7n * GWEI) }
    const value = known[method]
    if (value !== undefined) return hex(value)
    throw new RpcError(method, -32_601, `the method ${method} does not exist/is not available`)
  }
  return { call: call as Rpc['call'], close: async () => {} }
}

const NoHistory = suite('fees of a node without eth_feeHistory')

for (const [what, known, tip] of [
  ['the tip that it names', { eth_maxPriorityFeePerGas: 3n * GWEI, eth_gasPrice: 50n * GWEI }, 3n],
  ['what its gas price leaves for the tip', { eth_gasPrice: 9n * GWEI }, 2n],
] as const) {
  NoHistory(`are the base fee of its head and ${what}`, async () => {
    const fees = { maxFeePerGas: (14n + tip) * GWEI, maxPriorityFeePerGas: tip * GWEI }
    assert.equal(await readFees(makeNode(known)), fees)
    assert.equal(await readFeesInstead(makeNode(known)), fees)
  })
}

NoHistory('have a tip even where it names none, or one of nothing', async () => {
  for (const known of [{}, { eth_gasPrice: 5n * GWEI }, { eth_maxPriorityFeePerGas: 0n }]) {
    const fees = await readFees(makeNode(known))
    assert.equal(fees, { maxFeePerGas: 14n * GWEI + TIP_MIN, maxPriorityFeePerGas: TIP_MIN })
  }
})

NoHistory('are not guessed where it does not answer', async () => {
  const away = new ChainUnavailable('no answer')
  const call = async () => Promise.reject(away)
  const told = await readFees({ call, close: async () => {} }).catch((error: unknown) => error)
  assert.is(told, away)
})

NoHistory.run()

const History = suite('fees of a node with eth_feeHistory')

/** Each block's base fee, the next one's last, and the median tip of each, in gwei. */
function makeTellingNode(base: readonly bigint[], tips: readonly bigint[], wanted?: bigint): Rpc {
  const gwei = (value: bigint) => hex(value * GWEI)
  const known: Readonly<Record<string, unknown>> = {
    eth_feeHistory: { baseFeePerGas: base.map(gwei), reward: tips.map((tip) => [gwei(tip)]) },
    ...(wanted === undefined ? {} : { eth_maxPriorityFeePerGas: gwei(wanted) }),
  }
  const call = async (method: string) => {
    if (known[method] !== undefined) return known[method]
    throw new RpcError(method, -32_601, 'method not found')
  }
  return { call: call as Rpc['call'], close: async () => {} }
}

History(
  'are twice the base fee of the next block, and the dearest tip of the last ones',
  async () => {
    const fees = await readFees(makeTellingNode([20n, 6n, 7n], [1n, 3n]))
    assert.equal(fees, { maxFeePerGas: 17n * GWEI, maxPriorityFeePerGas: 3n * GWEI })
  },
)

History('have the least tip where no block shows one', async () => {
  for (const tips of [[], [0n, 0n]]) {
    const fees = await readFees(makeTellingNode([7n], tips))
    assert.equal(fees, { maxFeePerGas: 14n * GWEI + TIP_MIN, maxPriorityFeePerGas: TIP_MIN })
  }
})

History('of another attempt have the tip that the node wants, where that is more', async () => {
  for (const [wanted, tip] of [
    [2n, 3n],
    [5n, 5n],
    [undefined, 3n],
  ] as const) {
    const fees = await readFeesInstead(makeTellingNode([7n], [3n], wanted))
    assert.equal(fees, { maxFeePerGas: (14n + tip) * GWEI, maxPriorityFeePerGas: tip * GWEI })
  }
})

History.run()
