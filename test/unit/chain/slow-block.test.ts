import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keccak256 } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeEscrowWriter } from '../../../src/chain/writer.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { type Hex, LaneConflict } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { SIGNERS } from '../../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { job, lock } from '../../fakes/chain/intents.ts'

/** A transaction that waits for its block for longer than nodes are given to show a receipt. */
const SlowBlock = suite('a block that is long in coming')

const log = makeLog('test', 'silent')
const to = toAddress(`0x${'e5'.repeat(20)}`)
const contracts = { chainId: 31_337, deployBlock: 0, jobEscrow: to } as unknown as Contracts
const NONCE = 4
const BLOCK_MS = 3_200

/** Its block comes just before a question for the nonce: so the last question for the receipt came too early. */
class SlowNode implements Rpc {
  /** Somebody else's transaction takes the nonce. */
  isStolen = false
  #pool: { readonly raw: Hex; readonly at: number } | undefined
  #isSpent = false

  async call<Result>(method: string, [first]: readonly unknown[]): Promise<Result> {
    return this.#answer(method, first as Hex) as Result
  }
  async close(): Promise<void> {}

  #answer(method: string, first: Hex): unknown {
    switch (method) {
      case 'eth_feeHistory':
        return { baseFeePerGas: ['0x7', '0x7'], reward: [] }
      case 'eth_getBlockByNumber':
        return { hash: '0x', gasLimit: '0x1c9c380' }
      case 'eth_blockNumber':
        return '0x1'
      case 'eth_sendRawTransaction':
        this.#pool ??= { raw: first, at: performance.now() }
        return '0x'
      case 'eth_getTransactionCount':
        this.#isSpent ||= performance.now() - this.#pool!.at > BLOCK_MS
        return `0x${(NONCE + (this.#isSpent ? 1 : 0)).toString(16)}`
      case 'eth_getTransactionReceipt':
        return this.#isSpent && !this.isStolen && keccak256(this.#pool!.raw) === first
          ? { status: '0x1', blockNumber: '0x2', transactionHash: first, logs: [] }
          : null
      default:
        throw new RpcError(method, -32_601, 'method not found')
    }
  }
}

async function send(node: SlowNode) {
  const terms = { rpcUrl: 'http://127.0.0.1:1', contracts, signers: SIGNERS, log, terms: GAS_TERMS }
  const writer = makeEscrowWriter({ ...terms, rpc: node })
  const transaction = await writer.sign('lock', NONCE, { type: 'lock', items: [lock(job(1))] })
  return writer.send('lock', { transaction, earlier: [] }, () => {})
}

SlowBlock('its receipt is looked for before its nonce is taken for stolen', async () => {
  const receipt = await send(new SlowNode())
  assert.is(receipt !== 'stuck' && receipt.block, 2)
})

SlowBlock('a nonce that somebody else has taken is told of once no receipt has come', async () => {
  const node = new SlowNode()
  node.isStolen = true
  assert.instance(await send(node).catch((error: unknown) => error), LaneConflict)
})

SlowBlock.run()
