import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTestClient, createWalletClient, type Hex, parseUnits, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rComputeAbi, workerStakingAbi } from '../../src/chain/abi.ts'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { toAddress } from '../../src/domain/ids.ts'
import { mined } from '../fakes/chain/mined.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { stream, Upstream } from '../fakes/pool/upstream.ts'
import { buildAgent, Operator, type RunningAgent } from '../fakes/worker/operator.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { bodyOf, type Customer, chat, firstCustomer, jobSettles } from './customer.ts'
import type { Completion } from './public-shapes.ts'

/** An operator joins a network with flags only, serves, stakes, is paid, and leaves. */
const Joining = suite('operator')

// No other worker of the network serves it, so that each of its jobs is this operator's.
const MODEL = 'Qwen/Qwen3-14B'
const CHARGE_UNITS = 18n * 10_000n
/** Two windows of 600 s, and the one in which the job was settled. */
const HOLD_SECONDS = 1_900
const WEEK_SECONDS = 7 * 24 * 60 * 60 + 1
const BLOCKED_MS = 60_000

let folder: string
let network: Network
let upstream: Upstream
let customer: Customer
let operator: Operator
let agent: RunningAgent
let where: string[]
/** Address of the operator's worker. */
let worker: string

Joining.before(async () => {
  upstream = await new Upstream(['qwen3:14b', 'somebody/unheard-of']).open()
  folder = mkdtempSync(join(tmpdir(), 'svc-agent-'))
  network = await startNetwork()
  customer = firstCustomer(network)
  operator = new Operator([buildAgent(folder)])
  where = ['--pool', network.pool_url, '--rpc', network.rpc_url]
})
Joining.after(async () => {
  await operator?.close()
  await network?.stop()
  await upstream?.close()
  rmSync(folder, { recursive: true, force: true })
})

const status = async () => {
  const { code, out, err } = await operator.command(['status', '--json', ...where])
  assert.is(code, 0, err)
  return JSON.parse(out)
}
const succeeds = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await operator.command([...args, ...where])
  assert.is(code, 0, `${args.join(' ')}: ${err}`)
  return out
}
const fails = async (...args: string[]): Promise<string> => {
  const { code, err } = await operator.command([...args, ...where])
  assert.is(code, 1, `${args.join(' ')} should have failed`)
  return err
}

/** One job of the model, until it is settled. @returns its worker */
async function oneJob(): Promise<string> {
  const answer = await chat(customer, {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 100,
  })
  const { choices }: Completion = bodyOf(answer)
  assert.is(choices[0]?.message.content, 'Hello, world')
  await jobSettles(customer, String(answer.headers['x-svc-job-id']))
  return String(answer.headers['x-svc-worker'])
}

Joining('one command makes a key, registers it on chain and serves', async () => {
  upstream.answer = (_request, response) => stream(response, ['Hello', ', ', 'world'])
  agent = operator.start([...where, '--upstream', upstream.url, '--slots', '2'])
  await agent.shows('made a key for this worker')
  await agent.shows('connected: ready for jobs')
  const { chain, agent: report, ...found } = await status()
  worker = found.worker
  assert.is(report.phase, 'connected')
  assert.is(chain.workerId, report.workerId)
  assert.is(chain.payee, worker)
  assert.is(chain.shareBps, 7_500)
})

Joining('a job through the public API is done by it, and brings three quarters', async () => {
  // The edge hears of a new worker with the next summary of its pool.
  const first = await until('the model is served', async () => {
    const answer = await chat(customer, probe)
    return answer.status === 200 ? answer : undefined
  })
  await jobSettles(customer, String(first.headers['x-svc-job-id']))
  const before = BigInt((await status()).chain.earnedUnits)
  assert.is(await oneJob(), worker)
  const { chain, agent: report } = await status()
  assert.is(BigInt(chain.earnedUnits) - before, (CHARGE_UNITS * 75n) / 100n)
  assert.is(chain.claimableUnits, '0')
  assert.ok(report.jobsDone >= 1)
  assert.match(await fails('claim'), 'on hold')
})

Joining('a stake of its own brings 85 % from the next job on', async () => {
  assert.match(await fails('stake', '1000'), 'RCompute')
  await giveTokens(worker, '1500')
  assert.match(await fails('stake', '1000'), 'gas')
  await giveGas(worker)
  assert.match(await succeeds('stake', '1000'), 'the next job settles at 85 %')
  const before = BigInt((await status()).chain.earnedUnits)
  await oneJob()
  const { chain } = await status()
  assert.is(chain.isBoosted, true)
  assert.is(BigInt(chain.earnedUnits) - before, (CHARGE_UNITS * 85n) / 100n)
})

Joining('unstaking takes a week, in which the share is the lower one', async () => {
  assert.match(await succeeds('unstake', '400'), 'unbonding 400 RCompute')
  assert.match(await fails('withdraw'), 'StillUnbonding')
  assert.match(await fails('unstake', '601'), '600 RCompute are staked')
  const { chain } = await status()
  assert.is(chain.shareBps, 7_500)
  assert.is(chain.stake, String(parseUnits('600', 18)))
})

Joining('a drained agent finishes the job it has, and ends with 0', async () => {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const before = upstream.requests.length
  upstream.answer = async (_request, response) => {
    await finished
    await stream(response, ['Hello', ', ', 'world'])
  }
  const last = oneJob()
  await until('the job has begun', async () => upstream.requests.length > before)
  const drained = succeeds('drain')
  await agent.shows('draining: asked to')
  finish()
  assert.match(await drained, 'drained')
  assert.is(await agent.ends(BLOCKED_MS), 0)
  await last
  assert.is((await status()).agent, null)
})

Joining('earnings are claimable once they can no longer be disputed', async () => {
  await travel(HOLD_SECONDS)
  const { chain } = await status()
  assert.is(chain.claimableUnits, chain.earnedUnits)
  assert.match(await succeeds('claim'), worker)
  assert.is((await status()).chain.earnedUnits, '0')
})

Joining(
  'one that has left for good is found all the same, and has its stake paid out',
  async () => {
    const before = (await status()).chain
    await deactivate(before.workerId)
    const { chain } = await status()
    assert.is(chain.workerId, before.workerId)
    assert.ok(chain.deactivated)
    assert.match(await fails('stake', '1'), 'left for good')
    assert.match(await fails('unstake', 'all'), '1000 RCompute can be withdrawn from')
    await travel(WEEK_SECONDS)
    assert.match(await succeeds('withdraw'), 'paid 1000 RCompute')
  },
)

const probe = { model: MODEL, messages: [{ role: 'user', content: 'x' }], max_tokens: 5 }

const testChain = () =>
  createTestClient({ mode: 'anvil', transport: headFollowing(network.rpc_url) }).extend(
    publicActions,
  )

async function deactivate(workerId: number): Promise<void> {
  const account = toAddress(worker)
  await testChain().impersonateAccount({ address: account })
  const hash = await createWalletClient({
    account,
    transport: headFollowing(network.rpc_url),
  }).writeContract({
    address: toAddress(network.contracts.worker_staking),
    abi: workerStakingAbi,
    functionName: 'deactivate',
    args: [workerId],
    chain: null,
  })
  await mined(testChain(), hash)
}

async function travel(seconds: number): Promise<void> {
  const chain = testChain()
  await chain.increaseTime({ seconds })
  await chain.mine({ blocks: 1 })
}

const giveGas = (to: string): Promise<void> =>
  testChain().setBalance({ address: toAddress(to), value: parseUnits('1', 18) })

/** From the treasury, which the deployment gave all of them. */
async function giveTokens(to: string, amount: string): Promise<void> {
  const keys = JSON.parse(readFileSync(join(network.dataDir, 'keys.json'), 'utf8'))
  const account = privateKeyToAccount(keys.treasury as Hex)
  await giveGas(account.address)
  const hash = await makeWriter(network.rpc_url, account).writeContract({
    address: toAddress(network.contracts.r_compute),
    abi: rComputeAbi,
    functionName: 'transfer',
    args: [toAddress(to), parseUnits(amount, 18)],
    chain: null,
  })
  await mined(testChain(), hash)
}

Joining.run()
