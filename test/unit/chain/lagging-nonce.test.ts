import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keccak256, parseTransaction } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { performCall } from '../../../src/chain/keeper.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeNonces } from '../../../src/chain/send/nonces.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { makeEscrowWriter } from '../../../src/chain/writer.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { ChainUnavailable, type Hex, type Receipt } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { SIGNERS } from '../../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { job, lock } from '../../fakes/chain/intents.ts'

const log = makeLog('test', 'silent')
const signer = makeLocalSigner(`0x${'11'.repeat(32)}`)
const to = toAddress(`0x${'e5'.repeat(20)}`)
const contracts = { chainId: 31_337, deployBlock: 0, jobEscrow: to } as unknown as Contracts
const GWEI = 1_000_000_000n
const TERMS = { rpcUrl: 'http://127.0.0.1:1', contracts, signers: SIGNERS, log, terms: GAS_TERMS }

/** Several nodes behind one address: what is sent is mined at once, and some of them know it later. */
class Nodes implements Rpc {
  readonly mined: Hex[] = []
  /** So many questions for the nonce, for a receipt, and so many transactions meet one that lags by a block. */
  behind = { nonce: 0, receipt: 0, offer: 0 }

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
      case 'eth_estimateGas':
        return '0x5208'
      case 'eth_getBalance':
        return '0xde0b6b3a7640000'
      case 'eth_getTransactionCount':
        return `0x${(this.mined.length - (this.behind.nonce-- > 0 ? 1 : 0)).toString(16)}`
      case 'eth_getTransactionReceipt':
        if (this.behind.receipt-- > 0) return null
        return this.mined.some((raw) => keccak256(raw) === first)
          ? { status: '0x1', blockNumber: '0x2', transactionHash: first, logs: [] }
          : null
      case 'eth_sendRawTransaction': {
        const { nonce = 0 } = parseTransaction(first as `0x02${string}`)
        if (this.behind.offer-- > 0) throw new RpcError(method, -32_000, 'nonce too high')
        if (nonce < this.mined.length) throw new RpcError(method, -32_000, 'nonce too low')
        return this.mined.push(first)
      }
      default:
        throw new RpcError(method, -32_601, 'method not found')
    }
  }
}

function open() {
  const rpc = new Nodes()
  const nonces = makeNonces(rpc, signer.address)
  const sending = { rpc, contracts, signer, nonces, log, replaceAfterMs: 1_000 }
  const perform = async () => (await performCall(sending, { to, data: '0x' }, GWEI)).type
  return { rpc, nonces, perform }
}

const LaggingNonce = suite('the nonce that a lagging node tells')

LaggingNonce('is not believed by a key that knows of a later one', async () => {
  const { rpc, perform } = open()
  assert.is(await perform(), 'done')
  rpc.behind.nonce = 2
  assert.is(await perform(), 'done')
  assert.is(rpc.mined.length, 2)
})

LaggingNonce('before its receipt does not make the transaction another one', async () => {
  const { rpc, perform } = open()
  rpc.behind.receipt = 2
  assert.is(await perform(), 'done')
})

LaggingNonce('is no reason for a lane to think that the chain went back', async () => {
  const { rpc } = open()
  const writer = makeEscrowWriter({ ...TERMS, rpc })
  rpc.mined.push('0x', '0x')
  assert.is(await writer.nonce('lock'), 2)
  rpc.behind.nonce = 2
  assert.is(await writer.nonce('lock'), 2)
})

LaggingNonce(
  'may be that of the one which is handed a transaction: it is handed out again',
  async () => {
    const { rpc } = open()
    const writer = makeEscrowWriter({ ...TERMS, rpc })
    rpc.mined.push('0x', '0x')
    rpc.behind.offer = 1
    const transaction = await writer.sign('lock', 2, { type: 'lock', items: [lock(job(1))] })
    const send = () => writer.send('lock', { transaction, earlier: [] }, () => {})
    assert.instance(await send().catch((thrown: unknown) => thrown), ChainUnavailable)
    assert.is(((await send()) as Receipt).hash, transaction.hash)
  },
)

LaggingNonce('that stays is that of a chain which has gone back', async () => {
  const { rpc, nonces, perform } = open()
  assert.is(await perform(), 'done')
  rpc.mined.pop()
  const began = performance.now()
  assert.is(await nonces.next(), 0)
  assert.ok(performance.now() - began > 2_500)
  assert.is(await nonces.next(), 0)
  assert.ok(performance.now() - began < 4_500, 'it is believed from then on')
})

LaggingNonce.run()
