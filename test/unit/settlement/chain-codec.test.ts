import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  parseTransaction,
  type RpcLog,
  recoverTransactionAddress,
} from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import { callOf, gasOf } from '../../../src/chain/calldata.ts'
import { decodeFacts } from '../../../src/chain/facts.ts'
import { makeSigner } from '../../../src/chain/transaction.ts'
import { jobIdToBytes32, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { tierNumber } from '../../../src/domain/tiers.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'

const log = makeLog('test', 'silent')
const contracts = {
  chainId: 31_337,
  jobEscrow: toAddress(`0x${'e5'.repeat(20)}`),
  workerStaking: toAddress(`0x${'57'.repeat(20)}`),
  usdg: toAddress(`0x${'05'.repeat(20)}`),
  deployBlock: 1,
}
const HASH = toHex32(`0x${'ab'.repeat(32)}`)

const Codec = suite('chain codec')

Codec('calls are encoded as the ABI says', () => {
  const locks = [lock(job(1)), lock(job(2), { tier: 'max' })]
  assert.is(
    callOf({ type: 'lock', items: locks }, contracts).data,
    encodeFunctionData({
      abi: jobEscrowAbi,
      functionName: 'lockBatch',
      args: [
        locks.map(({ jobId, wallet, credits, tier }) => ({
          jobId: jobIdToBytes32(jobId),
          wallet,
          credits: Number(credits),
          tier: tierNumber(tier),
        })),
      ],
    }),
  )
  const settles = [settle(job(1)), settle(job(2), { workerId: 7 })]
  assert.is(
    callOf({ type: 'settle', items: settles }, contracts).data,
    encodeFunctionData({
      abi: jobEscrowAbi,
      functionName: 'settleBatch',
      args: [
        settles.map(({ jobId, completion, workerId, signature }) => ({
          jobId: jobIdToBytes32(jobId),
          outputHash: completion.outputHash,
          workerId,
          outputTokens: completion.outputTokens,
          completedAt: completion.completedAt,
          ...signature,
        })),
      ],
    }),
  )
  const { data } = callOf({ type: 'refund', items: [refund(job(1)), refund(job(2))] }, contracts)
  assert.equal(decodeFunctionData({ abi: jobEscrowAbi, data }), {
    functionName: 'refundBatch',
    args: [[jobIdToBytes32(job(1)), jobIdToBytes32(job(2))]],
  })
})

Codec('gas stays below what one transaction may ask for', () => {
  const items = Array.from({ length: 1_000 }, (_, n) => settle(job(n)))
  assert.is(gasOf({ type: 'settle', items }), 16_777_216n)
  assert.ok(gasOf({ type: 'settle', items: items.slice(0, 200) }) < 16_777_216n)
})

Codec('a signed transaction is what it says, by the key it was signed with', async () => {
  for (let n = 1; n <= 600; n++) {
    const signer = makeSigner(31_337, `0x${n.toString(16).padStart(64, '7')}`)
    const call = callOf({ type: 'lock', items: [lock(job(n))] }, contracts)
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }
    const { raw, hash, nonce } = signer.sign(n, call, fees)
    assert.is(hash, keccak256(raw))
    assert.is(nonce, n)
    const parsed = parseTransaction(raw)
    assert.is(parsed.nonce, n)
    assert.is(parsed.data, call.data)
    const sender = await recoverTransactionAddress({
      serializedTransaction: raw as `0x02${string}`,
    })
    assert.is(sender.toLowerCase(), signer.address)
  }
})

const base = {
  address: contracts.jobEscrow,
  blockHash: HASH,
  blockNumber: '0x10',
  blockTimestamp: '0x64',
  transactionHash: HASH,
  transactionIndex: '0x0',
  logIndex: '0x2',
  removed: false,
} as const

Codec('logs become facts; those of others are passed over', () => {
  const jobId = jobIdToBytes32(job(1))
  const at = { tx: HASH, block: 16, blockHash: HASH, logIndex: 2 }
  const settled = {
    ...base,
    topics: encodeEventTopics({
      abi: jobEscrowAbi,
      eventName: 'JobSettled',
      args: { jobId, wallet: WALLET, workerId: 9 },
    }),
    data: encodeAbiParameters(
      [
        { type: 'bytes32' },
        { type: 'uint32' },
        { type: 'uint32' },
        { type: 'uint32' },
        { type: 'uint64' },
        { type: 'uint64' },
      ],
      [HASH, 600, 44, 6, 330_000n, 110_000n],
    ),
  } as RpcLog
  const skipped = {
    ...base,
    topics: encodeEventTopics({ abi: jobEscrowAbi, eventName: 'JobSkipped', args: { jobId } }),
    data: encodeAbiParameters([{ type: 'uint8' }], [2]),
  } as RpcLog
  const deposited = {
    ...base,
    topics: encodeEventTopics({
      abi: jobEscrowAbi,
      eventName: 'Deposited',
      args: { wallet: WALLET, payer: WALLET },
    }),
    data: encodeAbiParameters([{ type: 'uint64' }], [500n]),
  } as RpcLog
  const foreign = { ...skipped, address: contracts.usdg }
  const facts = decodeFacts([settled, foreign, skipped, deposited], contracts, log)
  assert.equal(facts, [
    {
      ...at,
      type: 'settled',
      jobId: job(1),
      wallet: WALLET,
      workerId: 9,
      outputHash: HASH,
      charged: 44n,
      returned: 6n,
    },
    { ...at, type: 'skipped', jobId: job(1), reason: 'JobIdUsed' },
    { ...at, type: 'deposited', wallet: WALLET, credits: 500n, at: 100_000 },
  ])
})

Codec.run()
