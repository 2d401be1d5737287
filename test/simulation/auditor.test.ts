import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../src/domain/hash.ts'
import { makeJobId, toAddress } from '../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  privateKeyAddress,
  registrationDigest,
  sign,
} from '../../src/domain/proof.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import { Auditor } from './auditor/auditor.ts'
import { ADDRESSES, CONTRACTS } from './chain/addresses.ts'
import { makeSettlementChain } from './chain/connect.ts'
import { makeRandom } from './random.ts'
import { openScripts } from './redis/lua.ts'
import { SimRedis } from './redis/server.ts'
import type { World } from './world.ts'

const test = suite('the auditor notices')
const scripts = await openScripts()
const NOW = 1_800_000_000_000
const WALLET = toAddress(`0x${'a1'.repeat(20)}`)
const WORKER_KEY = Buffer.from('b1'.repeat(32), 'hex')
const WORKER = privateKeyAddress(WORKER_KEY)
const JOB = makeJobId(toUnixMs(NOW), new Uint8Array(16))
const HASH = outputHash('an answer')

/** A wallet with 100 credits, of which 40 were locked for one job, which a worker finished for 8. */
function begin() {
  const failures: string[] = []
  const world = {
    random: makeRandom(1),
    faults: { healing: true },
    now: () => toUnixMs(NOW),
    history: { add: () => {} },
    fail: (what: string) => failures.push(what),
  } as unknown as World
  const { chain } = makeSettlementChain(world)
  const redis = new SimRedis(world, scripts)
  const auditor = new Auditor(world, { chain, redis, jobWindowMs: 120_000, isEager: false })
  const { chainId, jobEscrow, workerStaking } = CONTRACTS
  const ofStaking = domainSeparator({ name: 'WorkerStaking', chainId, contract: workerStaking })
  const ofEscrow = domainSeparator({ name: 'JobEscrow', chainId, contract: jobEscrow })
  const completion = { jobId: JOB, outputHash: HASH, outputTokens: 20, completedAt: 1_800_000_000 }
  const signature = sign(completionDigest(ofEscrow, completion), WORKER_KEY)
  const registered = sign(registrationDigest(ofStaking, WORKER, WORKER), WORKER_KEY)
  const lock = { jobId: JOB, wallet: WALLET, credits: 40n, tier: 1 }
  chain.act(WALLET, { type: 'mint', to: WALLET, units: 1_000_000n })
  chain.act(WALLET, { type: 'deposit', wallet: WALLET, credits: 100n })
  chain.act(WALLET, { type: 'register', signer: WORKER, payee: WORKER, signature: registered })
  const escrowTx = chain.act(ADDRESSES.lock, { type: 'lockBatch', items: [lock] })
  const items = [{ jobId: JOB, completion, workerId: 1, signature }]
  const settlementTx = chain.act(ADDRESSES.settle, { type: 'settleBatch', items })
  const view = {
    ...{ id: JOB, wallet: WALLET, status: 'settled', tier: 'standard', lock: 40n, charged: 8n },
    ...{ worker: WORKER, escrowTx, settlementTx, refundTx: null, disputeTx: null },
    ...{ disputedHash: null, createdAt: NOW, completedAt: NOW + 1_000 },
    ...{ proofHash: HASH, usage: { promptTokens: 1, completionTokens: 20 } },
  } as unknown as JobView
  const ledger = (change: Readonly<Record<string, string>> = {}) => {
    const right = { a: '92', k: '0', r: '0', b: '1', i: '9', g: redis.runId, ...change }
    redis.perform('HSET', [`w:{${WALLET}}`, ...Object.entries(right).flat()])
  }
  return { chain, redis, auditor, view, ledger, failures }
}

test('nothing, where all is as it must be', () => {
  const { chain, auditor, view, ledger, failures } = begin()
  chain.mine()
  ledger()
  auditor.look()
  assert.equal(failures, [])
  assert.equal(auditor.unrest(), [])
  assert.equal(auditor.judge([view]), [])
})

test('credits that the contracts hold without a log', () => {
  const { chain, auditor, failures } = begin()
  chain.mine().state.change(WALLET, { available: 93n })
  auditor.look()
  assert.match(failures.join('; '), '93+0+0 on chain, 92+0+0 by the logs')
})

test('tokens that left the escrow without a log', () => {
  const { chain, auditor, failures } = begin()
  chain.mine().state.tokens.set(CONTRACTS.jobEscrow, 999_999n)
  auditor.look()
  assert.match(failures.join('; '), 'the escrow holds 999999 units, owes 1000000')
})

test('a ledger that holds another balance than the chain', () => {
  const { chain, auditor, ledger, failures } = begin()
  chain.mine()
  ledger({ a: '100' })
  auditor.look()
  assert.match(failures.join('; '), '100+0 at 1.9, on chain 92+0')
})

test('credits that are reserved for nobody, and more than there are', () => {
  const { chain, redis, auditor, ledger, failures } = begin()
  chain.mine()
  ledger({ r: '8' })
  auditor.look()
  assert.match(failures.join('; '), '8 are reserved, for jobs 0')
  redis.perform('HSET', [`h:{${WALLET}}`, JOB, 'r96'])
  ledger({ r: '96' })
  auditor.look()
  assert.match(failures.join('; '), '96 are reserved of 92')
})

test('credits that are kept back once all is over, for a job that ended and for one that never began', () => {
  const { chain, redis, auditor, view, ledger, failures } = begin()
  chain.mine()
  const neverBegun = makeJobId(toUnixMs(NOW + 1), new Uint8Array(16))
  redis.perform('HSET', [`h:{${WALLET}}`, JOB, 'r8', neverBegun, 'r2'])
  ledger({ r: '10' })
  auditor.look()
  assert.equal(failures, [])
  const flaws = auditor.judge([view])
  assert.is(flaws.length, 2)
  assert.match(flaws.join('; '), `credits are still held for ${JOB}`)
  assert.match(flaws.join('; '), `credits are still held for ${neverBegun}`)
  redis.perform('HDEL', [`h:{${WALLET}}`, JOB, neverBegun])
  redis.perform('ZADD', ['open', '1', `${neverBegun} ${WALLET}`])
  assert.match(auditor.judge([view]).join('; '), `${neverBegun} ${WALLET} is still among the open`)
})

test('jobs that ended otherwise than their money', () => {
  const { chain, auditor, view, ledger } = begin()
  chain.mine()
  ledger()
  auditor.look()
  const flawsOf = (change: Partial<JobView>) => auditor.judge([{ ...view, ...change }]).join('; ')
  assert.match(flawsOf({ status: 'failed' }), 'is failed: on chain it is settled')
  assert.match(flawsOf({ charged: 2n as JobView['charged'] }), '2 are shown as charged, 8 were')
  assert.match(flawsOf({ worker: WALLET }), 'another worker was paid')
  assert.match(flawsOf({ tier: 'lite' }), '8 were charged for 20 tokens')
  assert.match(flawsOf({ settlementTx: view.escrowTx }), 'settled by')
  assert.match(flawsOf({ refundTx: view.escrowTx }), 'given back by undefined')
  assert.match(flawsOf({ disputeTx: view.escrowTx }), 'disputed by undefined')
  assert.match(flawsOf({ completedAt: toUnixMs(NOW + 120_000) }), 'after 120000 ms of 120000')
  assert.match(auditor.judge([]).join('; '), 'is on chain, and in no journal')
})

test.run()
