import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type NatsConnection } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTestClient, type Hex, parseUnits, publicActions } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { workerStakingAbi } from '../../src/chain/abi.ts'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { outputHash } from '../../src/domain/hash.ts'
import { jobIdToBytes32, makeJobId, toAddress } from '../../src/domain/ids.ts'
import { completionDigest, domainSeparator, sign } from '../../src/domain/proof.ts'
import { layOutPorts } from '../../src/network/ports.ts'
import { poolUrl } from '../../src/network/processes/roles.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { pause, until } from '../until.ts'
import { bodyOf, firstCustomer, send } from './customer.ts'
import { type OwnWorker, startWorker } from './own-worker.ts'
import { untilReplaced, untilServed } from './until.ts'
import { workerFacts } from './worker-facts.ts'

/** What the world is told of a worker, from the day it joins to the day it leaves the chain. */
const Life = suite('facts of a worker')

const MODEL = 'Qwen/Qwen3-14B'
const COMES_MS = 60_000
const LEAVES_MS = 60_000

const secret = randomBytes(32)
const key: Hex = `0x${secret.toString('hex')}`
const jobId = makeJobId(systemClock.now(), systemClock.randomBytes(16))
let network: Network
let nats: NatsConnection
let worker: OwnWorker

Life.before(async () => {
  network = await startNetwork({ flags: ['--pools', '2', '--workers', '0'] })
  nats = await connect({ ...natsAddress(network.nats_url), maxReconnectAttempts: -1 })
  const counts = { edges: 1, actors: 1, pools: 2, workers: 0 }
  const pools = layOutPorts(network.portBase, counts).pools.map(poolUrl).join(',')
  const settings = { WORKER_PRIVATE_KEY: key, WORKER_REGION: 'eu-west' }
  worker = startWorker(pools, [MODEL], settings)
})
Life.after(async () => {
  await worker?.end()
  await nats?.close()
  await network?.stop()
})

const told = () => workerFacts(nats)

const chain = () =>
  createTestClient({ mode: 'anvil', transport: headFollowing(network.rpc_url) }).extend(
    publicActions,
  )
const staking = () => ({
  address: toAddress(network.contracts.worker_staking),
  abi: workerStakingAbi,
  chain: null,
})
const byWorker = () => makeWriter(network.rpc_url, key)
const workerId = () =>
  chain().readContract({
    ...staking(),
    functionName: 'workerIdOf',
    args: [privateKeyToAddress(key)],
  })

/** Whether nobody serves the model. */
async function isOut(): Promise<boolean> {
  const { data } = bodyOf<{ data: { id: string; svc: { active_workers: number } }[] }>(
    await send(firstCustomer(network), '/models'),
  )
  return (data.find(({ id }) => id === MODEL)?.svc.active_workers ?? 0) === 0
}

/** A completion that the worker has signed, as the contract takes it. */
function signedAs(text: string) {
  const completion = { outputHash: outputHash(text), outputTokens: 20, completedAt: 1_800_000_000 }
  const separator = domainSeparator({
    name: 'JobEscrow',
    chainId: network.chain_id,
    contract: toAddress(network.contracts.job_escrow),
  })
  const { r, vs } = sign(completionDigest(separator, { jobId, ...completion }), secret)
  return { ...completion, r, vs }
}

Life('worker.registered: once, although its pool is killed and it joins another', async () => {
  await untilServed(network, MODEL, 1, COMES_MS)
  await until('a fact', async () => (await told()).length > 0)
  const killed = network.kill('pool', 'SIGKILL', 0)
  await untilReplaced(network, 'pool', killed, 2)
  await untilServed(network, MODEL, 1, LEAVES_MS)
  const [fact, ...more] = await told()
  assert.is(more.length, 0)
  assert.ok(fact?.type === 'worker.registered')
  const worker_address = privateKeyToAddress(key).toLowerCase()
  assert.equal(fact.data, { worker_address, models: [MODEL], region: 'eu-west' })
})

Life('worker.slashed: for two answers to one job that it has signed', async () => {
  await chain().setBalance({ address: privateKeyToAddress(key), value: parseUnits('1', 18) })
  const args = [await workerId(), jobIdToBytes32(jobId), signedAs('a'), signedAs('b')] as const
  const slash_tx = await byWorker().writeContract({
    ...staking(),
    functionName: 'slashEquivocation',
    args,
  })
  const fact = await until('the fact', async () =>
    (await told()).find(({ type }) => type === 'worker.slashed'),
  )
  assert.equal(fact.data, {
    worker_address: privateKeyToAddress(key).toLowerCase(),
    // It had nothing at stake.
    slash_amount_rcompute: 0,
    slash_tx,
    reason: 'equivocation',
    related_job_id: jobId,
  })
})

Life('deactivated on chain: it is out, and its dialling costs no transaction', async () => {
  await untilServed(network, MODEL, 1, LEAVES_MS)
  const args = [await workerId()] as const
  await byWorker().writeContract({ ...staking(), functionName: 'deactivate', args })
  await until('the worker is out', isOut, LEAVES_MS)
  const settler = privateKeyToAddress(
    JSON.parse(readFileSync(join(network.dataDir, 'keys.json'), 'utf8')).settler,
  )
  const sent = () => chain().getTransactionCount({ address: settler })
  const before = await sent()
  // It dials both pools again, every 5 s at most.
  await pause(12_000)
  assert.is(await sent(), before)
  assert.ok(await isOut())
})

Life.run()
