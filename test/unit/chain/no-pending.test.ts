import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { performCall } from '../../../src/chain/keeper.ts'
import { makeKeeperReader } from '../../../src/chain/read/keeper-reader.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeNonces } from '../../../src/chain/send/nonces.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const log = makeLog('test', 'silent')
const signer = makeLocalSigner(`0x${'11'.repeat(32)}`)
const to = toAddress(`0x${'e5'.repeat(20)}`)
const contracts = { chainId: 31_337, deployBlock: 0, jobEscrow: to } as unknown as Contracts

type Answers = Readonly<Record<string, () => unknown>>

/** A node that refuses to speak of the next block, in the words of one. */
function makeNode(more: Answers = {}) {
  const asked: string[] = []
  let sent = 0
  const answers: Answers = {
    eth_call: () => encodeAbiParameters([{ type: 'uint256' }], [7n]),
    eth_feeHistory: () => ({ baseFeePerGas: ['0x7'], reward: [['0x0']] }),
    eth_estimateGas: () => '0x5208',
    eth_getBalance: () => '0xde0b6b3a7640000',
    eth_getTransactionCount: () => `0x${sent.toString(16)}`,
    eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: '0x2' }),
    eth_sendRawTransaction: () => ++sent,
    ...more,
  }
  const call = async (method: string, params: readonly unknown[]) => {
    asked.push(`${method} ${params.at(-1)}`)
    if (params.includes('pending')) {
      throw new RpcError(method, -32_000, `${method} raised an exception`, 'Unsupported block tag')
    }
    return answers[method]!()
  }
  return { rpc: { call: call as Rpc['call'], close: async () => {} }, asked }
}

const NoPending = suite('a node that knows no block to come')

NoPending('is asked as of its newest one', async () => {
  const { rpc } = makeNode()
  const reader = makeKeeperReader({ rpc, contracts, log })
  assert.is((await reader.terms()).expirySeconds, 7)
  assert.is((await reader.earningsOf(1)).claimable, 7n)
})

NoPending('takes the call of a key that sends alone', async () => {
  const { rpc } = makeNode()
  const nonces = makeNonces(rpc, signer.address)
  const sending = { rpc, contracts, signer, nonces, log, replaceAfterMs: 50 }
  const outcome = await performCall(sending, { to, data: '0x' }, 10n ** 11n)
  assert.is(outcome.type, 'done')
})

NoPending('is another one than a contract that reverts', async () => {
  const asked: unknown[] = []
  const call = async (method: string, params: readonly unknown[]) => {
    asked.push(params.at(-1))
    throw new RpcError(method, 3, 'execution reverted', '0xb1b2b3b4')
  }
  const rpc = { call: call as Rpc['call'], close: async () => {} }
  const nonces = makeNonces(rpc, signer.address)
  const sending = { rpc, contracts, signer, nonces, log, replaceAfterMs: 50 }
  const outcome = await performCall(sending, { to, data: '0x' }, 10n ** 11n)
  assert.is(outcome.type, 'refused')
  assert.equal(asked, ['pending'])
})

NoPending.run()
