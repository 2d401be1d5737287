import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionResult, numberToHex } from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeVouchers } from '../../../src/chain/vouchers.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'

const WALLET = toAddress(`0x${'aa'.repeat(20)}`)
const contracts = { chainId: 1, jobEscrow: WALLET, usdg: WALLET } as unknown as Contracts
const hashOf = (number: number) => toHex32(`0x${number.toString(16).padStart(64, '0')}`)
const nonceAfter = (block: number) =>
  encodeFunctionResult({
    ...{ abi: jobEscrowAbi, functionName: 'withdrawalNonce' },
    result: BigInt(block),
  })

/** Two nodes behind one address, asked in turns. One has the newest block only after `lagMs`. */
function makeTwo(lagMs: number): Rpc {
  const caughtUpAt = performance.now() + lagMs
  let asked = 0
  const call = async <Result>(method: string, params: readonly unknown[]): Promise<Result> => {
    const head = asked++ % 2 === 0 || performance.now() >= caughtUpAt ? 11 : 10
    if (method === 'eth_call') {
      if (Number(params[1]) > head) throw new RpcError(method, -32_000, 'header not found')
      return nonceAfter(11) as Result
    }
    const number = params[0] === 'latest' ? head : Number(params[0])
    const block = { number: numberToHex(number), hash: hashOf(number), timestamp: '0x7' }
    return { ...block, parentHash: hashOf(number - 1) } as Result
  }
  return { call, close: async () => {} }
}

/** A chain whose head has moved whenever it is asked for, for so many times. */
function makeNode({ moves, keepsHistory }: { moves: number; keepsHistory: boolean }): Rpc {
  let head = 10
  const call = async <Result>(method: string, params: readonly unknown[]): Promise<Result> => {
    if (method === 'eth_call') {
      const isGone = !keepsHistory && Number(params[1]) < head
      if (isGone) throw new RpcError(method, -32_602, 'BlockOutOfRangeError')
      return nonceAfter(Number(params[1])) as Result
    }
    if (params[0] === 'latest' && moves-- > 0) head++
    const number = params[0] === 'latest' ? head : Number(params[0])
    const block = { number: numberToHex(number), hash: hashOf(number), timestamp: '0x7' }
    return { ...block, parentHash: hashOf(number - 1) } as Result
  }
  return { call, close: async () => {} }
}
const read = (rpc: Rpc) =>
  makeVouchers({ rpcUrl: '', rpc, contracts, privateKey: undefined }).read(WALLET)

const VoucherRead = suite("reading a wallet's vouchers")

VoucherRead('works where blocks come faster than answers', async () => {
  const { nonce, block, time } = await read(
    makeNode({ moves: Number.POSITIVE_INFINITY, keepsHistory: true }),
  )
  assert.is(nonce, BigInt(block), 'as it was after the block that is told with it')
  assert.is(time, 7)
})

VoucherRead('waits for a head that stays where a node keeps no history', async () => {
  assert.is((await read(makeNode({ moves: 10, keepsHistory: false }))).block, 20)
})

VoucherRead('a node that lags behind the same address has its time', async () => {
  assert.is((await read(makeTwo(300))).block, 11)
})

VoucherRead('says so where neither is to be had', async () => {
  const rpc = makeNode({ moves: Number.POSITIVE_INFINITY, keepsHistory: false })
  await read(rpc).then(
    () => assert.unreachable('an answer of a block that nobody has'),
    (error: unknown) => assert.match(String(error), 'the chain moved on during each of 10 reads'),
  )
})

VoucherRead.run()
