import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionResult, numberToHex } from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { readAccount } from '../../../src/chain/read/account.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'

const WALLET = toAddress(`0x${'aa'.repeat(20)}`)
const contracts = { jobEscrow: WALLET } as unknown as Contracts
const hashOf = (number: number) => toHex32(`0x${number.toString(16).padStart(64, '0')}`)
const account = encodeFunctionResult({
  ...{ abi: jobEscrowAbi, functionName: 'accounts' },
  result: [1_000n, 0n, 0n, 0],
})

/** Two nodes behind one address, asked in turns. One has the newest block only after `lagMs`. */
function makeTwo(lagMs: number): Rpc {
  const caughtUpAt = performance.now() + lagMs
  let asked = 0
  const call = async <Result>(method: string, params: readonly unknown[]): Promise<Result> => {
    const head = asked++ % 2 === 0 || performance.now() >= caughtUpAt ? 11 : 10
    if (method === 'eth_call') {
      if (Number(params[1]) > head) throw new RpcError(method, -32_000, 'header not found')
      return account as Result
    }
    const number = params[0] === 'latest' ? head : Number(params[0])
    const block = { number: numberToHex(number), hash: hashOf(number), timestamp: '0x7' }
    return { ...block, parentHash: hashOf(number - 1) } as Result
  }
  return { call, close: async () => {} }
}

/** A chain whose head has moved whenever it is asked for, for so many times. */
function makeNode({ moves, keepsHistory }: { moves: number; keepsHistory: boolean }) {
  let head = 10
  const call = async <Result>(method: string, params: readonly unknown[]): Promise<Result> => {
    if (method === 'eth_call') {
      const isGone = !keepsHistory && Number(params[1]) < head
      if (isGone) throw new RpcError(method, -32_602, 'BlockOutOfRangeError')
      return account as Result
    }
    if (params[0] === 'latest' && moves-- > 0) head++
    const number = params[0] === 'latest' ? head : Number(params[0])
    const block = { number: numberToHex(number), hash: hashOf(number) }
    return { ...block, parentHash: hashOf(number - 1) } as Result
  }
  return { call, close: async () => {} } satisfies Rpc
}
const read = (rpc: Rpc) => readAccount({ rpc, contracts }, WALLET, async () => [])

const AccountRead = suite('reading an account')

AccountRead('works where blocks come faster than answers', async () => {
  const rpc = makeNode({ moves: Number.POSITIVE_INFINITY, keepsHistory: true })
  const { available, block, blockHash } = await read(rpc)
  assert.is(available, 1_000n)
  assert.is(blockHash, hashOf(block), 'with the block that it was read at')
})

AccountRead('waits for a head that stays where a node keeps no history', async () => {
  const { block } = await read(makeNode({ moves: 20, keepsHistory: false }))
  assert.is(block, 30)
})

AccountRead('a node that lags behind the same address has its time', async () => {
  assert.is((await read(makeTwo(1_000))).block, 11)
})

AccountRead.run()
