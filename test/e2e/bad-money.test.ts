import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { privateKeyToAccount } from 'viem/accounts'
import { workerStakingAbi } from '../../src/chain/abi.ts'
import { makeRpc, type Rpc } from '../../src/chain/rpc/json-rpc.ts'
import { toAddress } from '../../src/domain/ids.ts'
import { mined } from '../fakes/chain/mined.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { runOn } from '../network/command.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { lockedJobs } from './books.ts'
import { ask, untilStatus } from './calls.ts'
import { ChainReader } from './chain-reader.ts'
import {
  balanceBecomes,
  type Customer,
  newCustomer,
  readAccount,
  restingBalance,
} from './customer.ts'
import { giveGas, onChain, readerOf } from './mixed/callers.ts'
import { workerIndex } from './until.ts'
import { refused, whole } from './verdicts.ts'

/** What job, caller and ledger see where the chain says no. */
const BadMoney = suite('bad money')

const CREDITS = 1_000
const END_MS = 90_000
/** Any call of it reverts. */
const STOPPED = '0x5f5ffd'

let network: Network
let rpc: Rpc
let customer: Customer
/** The same network, as the customer's key speaks to it. */
let own: Network

BadMoney.before(async () => {
  network = await startNetwork({ env: { WORKER_SAMPLE_TOKEN_MS: '10' } })
  rpc = makeRpc(network.rpc_url)
  customer = await newCustomer(network)
  own = { ...network, api_key: customer.apiKey }
  await giveGas(network, [customer.wallet])
  await onChain(network, customer.privateKey).deposit(BigInt(CREDITS))
  await balanceBecomes(customer, CREDITS)
})
BadMoney.after(async () => {
  await rpc?.close()
  await network?.stop()
})

BadMoney('credits taken out between reservation and lock: 402, and nothing is held', async () => {
  const wallet = onChain(network, customer.privateKey)
  await rpc.call('evm_setAutomine', [false])
  const taken = wallet.requestWithdrawal(BigInt(CREDITS))
  await until('the withdrawal waits to be mined', async () => (await waiting()) === 1)
  const asked = ask(own, { maxTokens: 20 })
  await until('the lock waits behind it', async () => (await waiting()) === 2)
  await rpc.call('evm_mine', [])
  await rpc.call('evm_setAutomine', [true])
  await taken
  const { status, error, jobId } = refused(await asked)
  assert.is(status, 402)
  assert.is(error.code, 'insufficient_credits')
  assert.match(error.message, 'balance on chain')
  const job = await untilStatus(own, jobId!, 'failed', END_MS)
  assert.is(job.credits_charged, 0)
  assert.equal([job.on_chain.escrow_tx, job.on_chain.refund_tx], [null, null])
  assert.not.ok((await lockedJobs(network)).has(jobId!))
  await balanceBecomes(customer, 0)

  await wallet.cancelWithdrawal()
  await balanceBecomes(customer, CREDITS)
  const again = whole(await ask(own, { maxTokens: 20 }))
  await untilStatus(own, again.jobId, 'settled', END_MS)
})

BadMoney('a token that its issuer has stopped: jobs go on, money waits', async () => {
  const { usdg } = network.contracts
  const wallet = onChain(network, customer.privateKey)
  const code = await rpc.call<string>('eth_getCode', [usdg, 'latest'])
  const { credits_remaining: before } = await readAccount(customer)
  await rpc.call('anvil_setCode', [usdg, STOPPED])
  try {
    for (const stream of [true, false]) {
      const { jobId } = whole(await ask(own, { stream, maxTokens: 20 }))
      await untilStatus(own, jobId, 'settled', END_MS)
    }
    assert.not.equal(await failure(wallet.withdraw(100n)), undefined)
    await balanceBecomes(customer, before - 16)
  } finally {
    await rpc.call('anvil_setCode', [usdg, code])
  }
  await wallet.withdraw(100n)
  await balanceBecomes(customer, before - 116)
  assert.is(await wallet.balance(), 100n * 10_000n)
})

BadMoney('a worker that leaves in mid-answer: the job fails, all credits are back', async () => {
  const before = await restingBalance(customer, new ChainReader(network))
  let left: Promise<void> | undefined
  const answer = await ask(own, {
    stream: true,
    maxTokens: 300,
    begun: (jobId) => {
      left = servingWorker(jobId).then(leave)
    },
  })
  await left
  // The pool sends it away within seconds: in this answer, or after it.
  const { jobId } = answer.type === 'torn' ? answer : whole(answer)
  const job = await untilStatus(own, jobId, 'failed', END_MS)
  assert.is(job.credits_charged, 0)
  assert.is(job.on_chain.settlement_tx, null)
  await balanceBecomes(customer, before)
  const onChainNow = (await lockedJobs(network)).get(jobId)
  assert.is(onChainNow?.end?.type, 'refunded')
})

BadMoney('after all of it the books are right', async () => {
  const said = await runOn(network, 'audit', [])
  assert.is(said.code, 0, said.out + said.err)
})

async function waiting(): Promise<number> {
  const { pending } = await rpc.call<{ pending: `0x${string}` }>('txpool_status', [])
  return Number(pending)
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The number of the worker that answers. */
const servingWorker = (jobId: string): Promise<number> =>
  until('the job has a worker', async () => {
    const answer = await fetch(`${own.base_url}/jobs/${jobId}`, {
      headers: { authorization: `Bearer ${own.api_key}` },
    })
    const { worker_address: address } = (await answer.json()) as { worker_address: string | null }
    return address === null ? undefined : { index: workerIndex(network, address) }
  }).then(({ index }) => index)

/** For good, with a transaction of its own. */
async function leave(index: number): Promise<void> {
  const { workers } = JSON.parse(readFileSync(join(network.dataDir, 'keys.json'), 'utf8')) as {
    workers: readonly `0x${string}`[]
  }
  const account = privateKeyToAccount(workers[index]!)
  await giveGas(network, [toAddress(account.address)])
  const staking = {
    address: toAddress(network.contracts.worker_staking),
    abi: workerStakingAbi,
    chain: null,
  } as const
  const reader = readerOf(network)
  const workerId = await reader.readContract({
    ...staking,
    ...{ functionName: 'workerIdOf', args: [account.address] },
  })
  const writer = makeWriter(network.rpc_url, account)
  const hash = await writer.writeContract({
    ...staking,
    ...{ functionName: 'deactivate', args: [workerId] },
  })
  await mined(reader, hash)
}

BadMoney.run()
