import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keccak256, parseTransaction } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { performCall } from '../../../src/chain/keeper.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeNonces } from '../../../src/chain/send/nonces.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { makeEscrowWriter } from '../../../src/chain/writer.ts'
import { type TxHash, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { SIGNERS } from '../../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { job, lock } from '../../fakes/chain/intents.ts'

const GWEI = 1_000_000_000n
const log = makeLog('test', 'silent')
const signer = makeLocalSigner(`0x${'11'.repeat(32)}`)
const to = toAddress(`0x${'e5'.repeat(20)}`)
const contracts = { chainId: 31_337, deployBlock: 0, jobEscrow: to } as unknown as Contracts
const hex = (value: bigint): Hex => `0x${value.toString(16)}`
const tipOf = (raw: Hex): bigint =>
  parseTransaction(raw as `0x02${string}`).maxPriorityFeePerGas ?? 0n

/** An idle chain: no block of it shows what a tip has to be. Undefined: its node does not say either. */
function makeNode(leastTip: bigint | undefined, taken: Hex[] = []): Rpc {
  const answers: Readonly<Record<string, (first: never) => unknown>> = {
    eth_feeHistory: () => ({ baseFeePerGas: ['0x7', '0x7'], reward: [['0x0'], ['0x0']] }),
    eth_getBlockByNumber: () => ({ hash: toHex32(`0x${'0b'.repeat(32)}`), gasLimit: '0x1c9c380' }),
    eth_maxPriorityFeePerGas: () => (leastTip === undefined ? undefined : hex(leastTip)),
    eth_estimateGas: () => '0x5208',
    eth_getBalance: () => hex(10n ** 18n),
    eth_getTransactionCount: () => hex(BigInt(taken.length)),
    eth_getTransactionReceipt: (transactionHash: Hex) =>
      taken.some((raw) => keccak256(raw) === transactionHash)
        ? { status: '0x1', blockNumber: '0x2', transactionHash, logs: [] }
        : null,
    eth_sendRawTransaction: (raw: Hex) => {
      const tip = tipOf(raw)
      if (tip >= (leastTip ?? 0n)) return taken.push(raw)
      const words = `transaction underpriced: gas tip cap ${tip}, minimum needed ${leastTip}`
      throw new RpcError('eth_sendRawTransaction', -32_000, words)
    },
  }
  const call = async <Result>(method: string, [first]: readonly unknown[]): Promise<Result> => {
    const result = answers[method]?.(first as never)
    if (result === undefined) throw new RpcError(method, -32_601, 'method not found')
    return result as Result
  }
  return { call, close: async () => {} }
}

const LeastTip = suite('a chain with a least tip')

const writerOf = (rpc: Rpc) =>
  makeEscrowWriter({
    ...{ rpcUrl: 'http://127.0.0.1:1', rpc, contracts, signers: SIGNERS, log, terms: GAS_TERMS },
  })

async function replaced(rpc: Rpc): Promise<bigint> {
  const writer = writerOf(rpc)
  const first = await writer.sign('lock', 0, { type: 'lock', items: [lock(job(1))] })
  const next = await writer.replace('lock', first)
  assert.ok(next !== 'capped')
  return tipOf(next.raw)
}

LeastTip('is offered it by a lane at the second attempt', async () => {
  assert.is(await replaced(makeNode(30n * GWEI)), 30n * GWEI)
})

LeastTip('takes no less: the lane is told so before it waits for long', async () => {
  const taken: Hex[] = []
  const writer = writerOf(makeNode(30n * GWEI, taken))
  const first = await writer.sign('lock', 0, { type: 'lock', items: [lock(job(1))] })
  let told = 0
  const send = (transaction: typeof first, earlier: readonly TxHash[]) =>
    writer.send('lock', { transaction, earlier }, () => told++)
  const began = performance.now()
  assert.is(await send(first, []), 'stuck')
  assert.ok(performance.now() - began < 10_000)
  assert.is(told, 0, 'it was never broadcast')
  const next = await writer.replace('lock', first)
  assert.ok(next !== 'capped')
  const receipt = await send(next, [first.hash])
  assert.ok(receipt !== 'stuck')
  assert.equal([receipt.hash, receipt.succeeded, told, taken.length], [next.hash, true, 1, 1])
})

LeastTip('that its node does not tell is come near step by step', async () => {
  assert.is(await replaced(makeNode(undefined)), 11_250_000n)
})

LeastTip('takes the call of a key that sends alone', async () => {
  const taken: Hex[] = []
  const rpc = makeNode(30n * GWEI, taken)
  const nonces = makeNonces(rpc, signer.address)
  const sending = { rpc, contracts, signer, nonces, log, replaceAfterMs: 50 }
  const outcome = await performCall(sending, { to, data: '0x' }, 500n * GWEI)
  assert.is(outcome.type, 'done')
  assert.is(taken.length, 1)
})

LeastTip.run()
