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
import { callOf } from '../../../src/chain/calldata.ts'
import { decodeFacts } from '../../../src/chain/read/facts.ts'
import { gasMax, gasOf, itemsThatFit } from '../../../src/chain/send/gas.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { jobIdToBytes32, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { tierNumber } from '../../../src/domain/tiers.ts'
import type { Batch } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { CLAIMED, dispute, job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'

const log = makeLog('test', 'silent')
const contracts = {
  chainId: 31_337,
  jobEscrow: toAddress(`0x${'e5'.repeat(20)}`),
  workerStaking: toAddress(`0x${'57'.repeat(20)}`),
  usdg: toAddress(`0x${'05'.repeat(20)}`),
  rCompute: toAddress(`0x${'0c'.repeat(20)}`),
  modelRegistry: toAddress(`0x${'0d'.repeat(20)}`),
  governor: toAddress(`0x${'0e'.repeat(20)}`),
  timelock: toAddress(`0x${'0f'.repeat(20)}`),
  deployBlock: 1,
  abiHash: '',
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
  const disputes = callOf({ type: 'dispute', items: [dispute(job(1)), dispute(job(2))] }, contracts)
  assert.is(disputes.to, contracts.jobEscrow)
  assert.equal(decodeFunctionData({ abi: jobEscrowAbi, data: disputes.data }), {
    functionName: 'disputeBatch',
    args: [[1, 2].map((n) => ({ jobId: jobIdToBytes32(job(n)), claimedHash: CLAIMED }))],
  })
})

Codec('as many items go into a transaction as its gas has room for', () => {
  const kinds = ['lock', 'settle', 'refund', 'dispute'] as const
  const items = (kind: (typeof kinds)[number], count: number) =>
    Array.from({ length: count }, (_, n) => ({ lock, settle, refund, dispute })[kind](job(n)))
  for (const blockGas of [undefined, 3_000_000n, 30_000_000n, 2n ** 50n]) {
    for (const percent of [100, 250]) {
      for (const kind of kinds) {
        const most = gasMax(blockGas)
        const count = itemsThatFit(kind, most, percent)
        const gas = (n: number) => gasOf({ type: kind, items: items(kind, n) } as Batch, percent)
        assert.ok(gas(count) <= most, `${count} of ${kind} fit`)
        assert.ok(gas(count + 1) > most, `${count + 1} do not`)
        assert.ok(most <= 16_777_216n && (!blockGas || most <= blockGas / 2n))
      }
    }
  }
  assert.ok(
    itemsThatFit('settle', gasMax(undefined)) >= 200,
    'a whole batch where nothing is known',
  )
  assert.is(itemsThatFit('lock', 10n), 1, 'one is tried, however small the blocks')
})

Codec('a signed transaction is what it says, by the key it was signed with', async () => {
  for (let n = 1; n <= 600; n++) {
    const signer = makeLocalSigner(`0x${n.toString(16).padStart(64, '7')}`)
    const call = callOf({ type: 'lock', items: [lock(job(n))] }, contracts)
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }
    const { raw, hash, nonce } = await signer.sign({ chainId: 31_337, nonce: n, ...call, ...fees })
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

Codec('what a wallet takes out, sets aside and takes back become facts', () => {
  const at = { tx: HASH, block: 16, blockHash: HASH, logIndex: 2 }
  const topics = (eventName: 'Withdrawn' | 'WithdrawalRequested' | 'WithdrawalCancelled') =>
    encodeEventTopics({
      abi: jobEscrowAbi,
      eventName,
      args: { wallet: WALLET, ...(eventName === 'Withdrawn' ? { to: contracts.usdg } : {}) },
    })
  const credits = encodeAbiParameters([{ type: 'uint64' }], [70n])
  const until = encodeAbiParameters([{ type: 'uint64' }, { type: 'uint40' }], [70n, 1_900])
  const logs = [
    { ...base, topics: topics('Withdrawn'), data: credits },
    { ...base, topics: topics('WithdrawalRequested'), data: until },
    { ...base, topics: topics('WithdrawalCancelled'), data: credits },
  ] as RpcLog[]
  assert.equal(decodeFacts(logs, contracts, log), [
    { ...at, type: 'withdrawn', wallet: WALLET, credits: 70n },
    { ...at, type: 'thawing_started', wallet: WALLET, credits: 70n },
    { ...at, type: 'thawing_cancelled', wallet: WALLET, credits: 70n },
  ])
})

Codec('a dispute and its resolution become facts', () => {
  const jobId = jobIdToBytes32(job(1))
  const at = { tx: HASH, block: 16, blockHash: HASH, logIndex: 2 }
  const args = { jobId, wallet: WALLET, workerId: 9 }
  const disputed = {
    ...base,
    topics: encodeEventTopics({ abi: jobEscrowAbi, eventName: 'JobDisputed', args }),
    data: encodeAbiParameters([{ type: 'bytes32' }], [CLAIMED]),
  } as RpcLog
  const resolved = (upheld: boolean, returned: number) =>
    ({
      ...base,
      topics: encodeEventTopics({ abi: jobEscrowAbi, eventName: 'DisputeResolved', args }),
      data: encodeAbiParameters([{ type: 'bool' }, { type: 'uint32' }], [upheld, returned]),
    }) as RpcLog
  const skipped = (reason: number) =>
    ({
      ...base,
      topics: encodeEventTopics({ abi: jobEscrowAbi, eventName: 'JobSkipped', args: { jobId } }),
      data: encodeAbiParameters([{ type: 'uint8' }], [reason]),
    }) as RpcLog
  const logs = [disputed, resolved(true, 44), resolved(false, 0), skipped(8), skipped(9)]
  const later = [10, 11, 12, 13].map(skipped)
  const ofJob = { ...at, jobId: job(1) }
  assert.equal(decodeFacts(logs, contracts, log), [
    { ...ofJob, type: 'disputed', wallet: WALLET, claimedHash: CLAIMED },
    { ...ofJob, type: 'dispute_resolved', wallet: WALLET, upheld: true, returned: 44n },
    { ...ofJob, type: 'dispute_resolved', wallet: WALLET, upheld: false, returned: 0n },
    { ...ofJob, type: 'skipped', reason: 'NotSettled' },
    { ...ofJob, type: 'skipped', reason: 'DisputeWindowOver' },
  ])
  assert.equal(
    decodeFacts(later, contracts, log).map((fact) => fact.type === 'skipped' && fact.reason),
    ['SpendLimitReached', 'Paused', 'SettleCapReached', 'reason_13'],
  )
})

Codec.run()
