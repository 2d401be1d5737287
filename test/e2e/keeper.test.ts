import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, createTestClient, type Hex } from 'viem'
import { connectNats } from '../../src/bus/connect.ts'
import { devUsdgAbi, jobEscrowAbi } from '../../src/chain/abi.ts'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { jobIdToBytes32, makeJobId, toAddress } from '../../src/domain/ids.ts'
import type { DepositAddressReply } from '../../src/messages/keeper.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { mined } from '../fakes/chain/mined.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import {
  balanceBecomes,
  type Customer,
  chat,
  firstCustomer,
  jobBecomes,
  jobSettles,
  newCustomer,
  readAccount,
  send,
} from './customer.ts'
import { killAndWait } from './until.ts'

/** What moves on although nobody moves it. */
const Keeper = suite('keeper')

const MODEL = 'Qwen/Qwen3-8B'
const ask = { model: MODEL, messages: [{ role: 'user', content: 'Who pays?' }], max_tokens: 20 }

let network: Network
let chain: Chain

Keeper.before(async () => {
  // One short answer is worth a claim.
  network = await startNetwork({ env: { KEEPER_CLAIM_MIN_CREDITS: '1' } })
  chain = openChain(network)
})
Keeper.after(async () => {
  await network?.stop()
})

Keeper('tokens sent to a deposit address are credits that can be spent', async () => {
  const customer = await newCustomer(network)
  const { address, minimumCredits } = await depositAddress(customer)
  assert.is(minimumCredits, 100n)
  await chain.transfer(address, 1_500_000n)
  await balanceBecomes(customer, 150)
  const answer = await chat(customer, ask)
  assert.is(answer.status, 200, answer.text)
  assert.is(answer.headers['x-svc-credits-remaining'], '142')
})

Keeper('the same after a crash of the actors between transfer and sweep', async () => {
  const customer = await newCustomer(network)
  const { address } = await depositAddress(customer)
  await chain.transfer(address, 600_000n)
  await killAndWait(network, 'actors')
  await chain.transfer(address, 400_000n)
  // Nobody can tell a balance before an actor host is back.
  await until(
    'an edge tells a balance',
    async () => (await send(customer, '/account')).status === 200,
  )
  await balanceBecomes(customer, 100)
  assert.is((await depositAddress(customer)).pendingCredits, 0n)
})

Keeper('a lock that belongs to no job is given back once it is old enough', async () => {
  const customer = firstCustomer(network)
  const before = (await readAccount(customer)).credits_remaining
  await chain.lockNoJob(customer, 40)
  await balanceBecomes(customer, before - 40)
  await chain.elapse(180 + 60)
  await balanceBecomes(customer, before)
})

Keeper('what a worker earned reaches its payee once nobody can contest it any more', async () => {
  const customer = firstCustomer(network)
  const answer = await chat(customer, ask)
  const { worker_address: worker } = await jobSettles(
    customer,
    String(answer.headers['x-svc-job-id']),
  )
  const payee = toAddress(String(worker))
  const before = await chain.tokensOf(payee)
  await chain.elapse(2 * 600)
  await until(
    'the worker is paid three quarters of 8 credits',
    async () => (await chain.tokensOf(payee)) >= before + 60_000n,
  )
})

Keeper('a dispute that nobody decides ends after a day, and its job hears of it', async () => {
  const customer = firstCustomer(network)
  const answer = await chat(customer, ask)
  const jobId = String(answer.headers['x-svc-job-id'])
  await jobSettles(customer, jobId)
  const body = { received_output_hash: `sha256:${'0'.repeat(64)}` }
  const headers = { 'content-type': 'application/json' }
  const opened = await send(customer, `/jobs/${jobId}/dispute`, { method: 'POST', headers, body })
  assert.is(opened.status, 200, opened.text)
  await jobBecomes(customer, jobId, ({ status }) => status === 'disputed')
  await chain.elapse(24 * 3_600 + 60)
  const job = await jobSettles(customer, jobId)
  assert.is(job.credits_charged, 8)
})

type Chain = ReturnType<typeof openChain>

function openChain({ rpc_url, contracts, dataDir }: Network) {
  const keys = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')) as Record<string, Hex>
  const reader = createPublicClient({ transport: headFollowing(rpc_url) })
  const test = createTestClient({ mode: 'anvil', transport: headFollowing(rpc_url) })
  const by = (key: Hex | undefined) => makeWriter(rpc_url, key!)
  const escrow = {
    address: toAddress(contracts.job_escrow),
    abi: jobEscrowAbi,
    chain: null,
  } as const
  const token = { address: toAddress(contracts.usdg), abi: devUsdgAbi, chain: null } as const
  const included = async (hash: Hex) => {
    await mined(reader, hash)
  }
  return {
    /** As an exchange would. */
    transfer: async (to: Hex, units: bigint) => {
      const payer = by(keys.wallet)
      const mint = { functionName: 'mint', args: [payer.account.address, units] } as const
      await included(await payer.writeContract({ ...token, ...mint }))
      const transfer = { functionName: 'transfer', args: [to, units] } as const
      await included(await payer.writeContract({ ...token, ...transfer }))
    },
    lockNoJob: async ({ wallet }: Customer, credits: number) => {
      const jobId = makeJobId(systemClock.now(), systemClock.randomBytes(16))
      const item = { jobId: jobIdToBytes32(jobId), wallet, credits, tier: 1 }
      const locker = by(keys.locker)
      const args = [[item]] as const
      await included(await locker.writeContract({ ...escrow, functionName: 'lockBatch', args }))
    },
    tokensOf: (of: Hex) =>
      reader.readContract({ ...token, functionName: 'balanceOf', args: [of], blockTag: 'pending' }),
    elapse: async (seconds: number) => {
      await test.increaseTime({ seconds })
      await test.mine({ blocks: 1 })
    },
  }
}

/** As the web app asks. */
async function depositAddress({ wallet }: Customer) {
  const log = makeLog('test', 'silent')
  const nats = await connectNats({ servers: network.nats_url, name: 'test', log })
  try {
    return await until('the deposit address is told', async () => {
      const reply = await nats.bus
        .request<DepositAddressReply>(SUBJECTS.depositAddress, { wallet }, 2_000)
        .catch(() => undefined)
      return reply?.type === 'deposit_address' ? reply : undefined
    })
  } finally {
    await nats.close()
  }
}

Keeper.run()
