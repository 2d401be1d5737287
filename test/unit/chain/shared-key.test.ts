import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Hex, keccak256, parseTransaction } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeNonces } from '../../../src/chain/send/nonces.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { makeSender } from '../../../src/chain/sender.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

/** A key whose earlier transaction waits in the pool: of a process that has ended, or of another one. */
const SharedKey = suite('a key that others send with')

const GWEI = 1_000_000_000n
const log = makeLog('test', 'silent')
const signer = makeLocalSigner(`0x${'11'.repeat(32)}`)
const to = toAddress(`0x${'e5'.repeat(20)}`)
const contracts = { chainId: 31_337, deployBlock: 0, jobEscrow: to } as unknown as Contracts
const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** A pool of one transaction a nonce, which gives way to one that pays a tenth more. */
class PoolNode implements Rpc {
  /** By nonce. */
  readonly pool = new Map<number, Hex>()
  readonly mined: Hex[] = []
  /** False: it counts only what is in blocks. */
  tellsPool = true

  mine(): void {
    const next = this.pool.get(this.mined.length)
    if (next) this.mined.push(next)
  }

  async call<Result>(method: string, [first, tag]: readonly unknown[]): Promise<Result> {
    if (method === 'eth_getTransactionCount') return this.#count(tag) as Result
    return this.#answer(method, first as Hex) as Result
  }
  async close(): Promise<void> {}

  #answer(method: string, first: Hex): unknown {
    switch (method) {
      case 'eth_feeHistory':
        return { baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'], reward: [] }
      case 'eth_maxPriorityFeePerGas':
        return '0x0'
      case 'eth_estimateGas':
        return '0x5208'
      case 'eth_getBalance':
        return hex(10n ** 18n)
      case 'eth_getTransactionReceipt':
        return this.mined.some((raw) => keccak256(raw) === first)
          ? { status: '0x1', blockNumber: '0x2' }
          : null
      case 'eth_sendRawTransaction':
        return this.#take(first)
      default:
        throw new RpcError(method, -32_601, 'method not found')
    }
  }

  #count(tag: unknown): Hex {
    return hex(BigInt(tag === 'pending' && this.tellsPool ? this.pool.size : this.mined.length))
  }

  #take(raw: Hex): Hex {
    const { nonce = 0 } = parseTransaction(raw as `0x02${string}`)
    const before = this.pool.get(nonce)
    if (before && feeOf(raw) * 10n < feeOf(before) * 11n) {
      const words = 'replacement transaction underpriced'
      throw new RpcError('eth_sendRawTransaction', -32_000, words)
    }
    this.pool.set(nonce, raw)
    return keccak256(raw)
  }
}

const feeOf = (raw: Hex): bigint => parseTransaction(raw as `0x02${string}`).maxFeePerGas ?? 0n

const CALL = { to, data: '0x02' } as const
const send = (rpc: Rpc, replaceAfterMs: number) =>
  makeSender(
    { rpc, contracts, signer, nonces: makeNonces(rpc, signer.address), log, replaceAfterMs },
    500n * GWEI,
  ).broadcast(CALL)

/** As a process leaves it that was killed after it told the hash. */
async function leave(node: PoolNode, maxFeePerGas = 2n * GWEI): Promise<Hex> {
  const fees = { maxFeePerGas, maxPriorityFeePerGas: GWEI }
  const { chainId } = contracts
  const call = { chainId, nonce: 0, to, data: '0x01', gas: 50_000n } as const
  const { raw, hash } = await signer.sign({ ...call, ...fees })
  node.pool.set(0, raw)
  return hash
}

async function goesAfter(node: PoolNode, feeWei: bigint): Promise<void> {
  const told = await leave(node, feeWei)
  const next = send(node, 2_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.is(keccak256(node.pool.get(0)!), told)
  node.mine()
  const second = await next
  assert.equal(
    [...node.pool.values()].map((raw) => keccak256(raw)),
    [told, second],
  )
  node.mine()
}

SharedKey('what was told of as sent is not pushed out by what comes after it', async () => {
  await goesAfter(new PoolNode(), 2n * GWEI)
})

SharedKey('nor where fees have risen since', async () => {
  await goesAfter(new PoolNode(), GWEI)
})

SharedKey('nor by a raise, where the node counts only what is in blocks', async () => {
  const node = new PoolNode()
  node.tellsPool = false
  await goesAfter(node, 2n * GWEI)
})

SharedKey('but one that no block takes gives way', async () => {
  const node = new PoolNode()
  await leave(node)
  const second = await send(node, 50)
  assert.is(keccak256(node.pool.get(0)!), second)
  node.mine()
})

SharedKey.run()
