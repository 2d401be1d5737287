import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, createTestClient, type Hex, parseUnits } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { workerStakingAbi } from '../../src/chain/abi.ts'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { outputHash } from '../../src/domain/hash.ts'
import { jobIdToBytes32, makeJobId, toAddress } from '../../src/domain/ids.ts'
import { completionDigest, domainSeparator, sign } from '../../src/domain/proof.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import { signatureHeaders } from '../../src/domain/webhook-signature.ts'
import { EVENT_TYPES } from '../../src/messages/webhook.ts'
import { layOutPorts } from '../../src/network/ports.ts'
import { poolUrl } from '../../src/network/processes/roles.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { defaultNames } from '../fakes/default-names.ts'
import { type Receiver, startReceiver } from '../fakes/webhooks/receiver.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { hashOf } from './calls.ts'
import { ChainReader } from './chain-reader.ts'
import {
  type Customer,
  chat,
  jobSettles,
  newCustomer,
  readJob,
  restingBalance,
  send,
} from './customer.ts'
import { type OwnWorker, startWorker } from './own-worker.ts'
import type { Job } from './public-shapes.ts'
import { killAndWait, untilServed } from './until.ts'

/** All ten events, each from what causes it, to a webhook made through the API. */
const Events = suite('the ten events')

const MODEL = 'Qwen/Qwen3-8B'
const SLOW_MODEL = 'Qwen/Qwen3-14B'
const SECRET = 'of the test of all events'
const WAIT_MS = 60_000
const WRONG = hashOf('what somebody else received')

const secret = randomBytes(32)
const key: Hex = `0x${secret.toString('hex')}`
const workerAddress = privateKeyToAddress(key).toLowerCase()
let network: Network
let chain: ChainReader
let customer: Customer
let receiver: Receiver
let worker: OwnWorker
let completedJob: string

interface Envelope {
  readonly id: string
  readonly event: string
  readonly created_at: string
  readonly api_version: string
  readonly data: Readonly<Record<string, unknown>>
}

Events.before(async () => {
  receiver = await startReceiver()
  network = await startNetwork({
    flags: ['--workers', '1'],
    env: { JOB_WINDOW_SECONDS: '20', WORKER_SAMPLE_TOKEN_MS: '2' },
  })
  chain = new ChainReader(network)
  customer = await newCustomer(network)
  await subscribe(customer, 'mine', EVENT_TYPES)
  await subscribe(await newCustomer(network), 'stranger', EVENT_TYPES)
})
Events.after(async () => {
  await worker?.end()
  await network?.stop()
  await receiver?.close()
})

async function subscribe(by: Customer, path: string, events: readonly string[]): Promise<void> {
  const answer = await send(by, '/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { url: receiver.url(path), events, secret: SECRET },
  })
  assert.is(answer.status, 201, answer.text)
}

const envelopes = (path = 'mine'): readonly Envelope[] =>
  receiver.received(path).map(({ body }) => JSON.parse(body))

/** The event of this type, of this job where there is one. */
const event = (type: string, jobId?: string): Promise<Envelope> =>
  until(
    `${type} of ${jobId ?? 'anything'}`,
    () =>
      envelopes().find(
        ({ event, data }) => event === type && (jobId === undefined || data.job_id === jobId),
      ),
    WAIT_MS,
  )

const ask = (model: string, stream = false) =>
  chat(customer, { model, stream, messages: [{ role: 'user', content: 'Hello.' }] })

/** It is told of at its broadcast. */
const refundIsIn = ({ data }: Envelope): Promise<boolean> =>
  chain.succeeded(data.refund_tx as Hex).catch(() => false)

/** What every job.* event but job.completed carries of its job. */
function showsJob({ data }: Envelope, job: Job, status: string): void {
  assert.is(data.id, job.id)
  assert.is(data.job_id, job.id)
  assert.is(data.object, 'job')
  assert.is(data.status, status)
  for (const name of Object.keys(job)) assert.ok(name in data, `${name} is missing`)
  for (const name of ['settlement_tx', 'block_number', 'prompt_tokens', 'completion_tokens']) {
    assert.ok(name in data, `${name} is missing`)
  }
}

Events('credit.topup: credits were bought', async () => {
  await chain.deposit(customer, 100)
  const { data } = await event('credit.topup')
  assert.is(data.credits_added, 100)
  assert.is(data.credits_remaining, 100)
})

Events('job.submitted, job.processing, job.completed; and credit.low', async () => {
  await untilServed(network, MODEL, 1)
  const { headers, text } = await ask(MODEL)
  completedJob = String(headers['x-svc-job-id'])
  const job = await jobSettles(customer, completedJob)
  const submitted = await event('job.submitted', job.id)
  showsJob(submitted, job, 'pending')
  assert.is((submitted.data.on_chain as Job['on_chain']).escrow_tx, job.on_chain.escrow_tx)
  const processing = await event('job.processing', job.id)
  showsJob(processing, job, 'processing')
  assert.is(processing.data.worker_address, job.worker_address)
  const { data } = await event('job.completed', job.id)
  assert.equal(data, {
    job_id: job.id,
    model: MODEL,
    tier: job.tier,
    credits_charged: job.credits_charged,
    usdg_value: job.usdg_value,
    worker_address: job.worker_address,
    settlement_tx: job.on_chain.settlement_tx,
    block_number: job.on_chain.block_number,
    prompt_tokens: job.usage?.prompt_tokens,
    completion_tokens: job.usage?.completion_tokens,
    credits_remaining: 100 - job.credits_charged,
  })
  const low = await event('credit.low')
  assert.is(low.data.threshold, 100)
  assert.ok(text.length > 0)
})

Events('job.disputed: an answer is contested', async () => {
  const answer = await send(customer, `/jobs/${completedJob}/dispute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { received_output_hash: WRONG },
  })
  assert.is(answer.status, 200, answer.text)
  const opened = JSON.parse(answer.text)
  const told = await event('job.disputed', completedJob)
  showsJob(told, await readJob(customer, completedJob), 'disputed')
  const { your_hash, worker_hash, dispute_tx } = told.data
  assert.equal([your_hash, worker_hash, dispute_tx], [WRONG, opened.worker_hash, opened.dispute_tx])
})

Events('actors killed and Redis flushed: what happens to jobs is told all the same', async () => {
  const jobs: string[] = []
  for (let i = 0; i < 3; i++) {
    const { headers } = await until(
      'an answer',
      async () => {
        // Between two lives of the actors nobody takes a job on.
        const answer = await ask(MODEL).catch(() => undefined)
        return answer?.status === 200 && answer
      },
      WAIT_MS,
    )
    jobs.push(String(headers['x-svc-job-id']))
    // It is not settled yet, or has just been.
    await killAndWait(network, 'actors')
    if (i === 1) await flush()
  }
  for (const jobId of jobs) {
    for (const type of ['job.submitted', 'job.processing', 'job.completed']) {
      await event(type, jobId)
    }
  }
})

async function flush(): Promise<void> {
  const redis = new Redis(network.redis_url)
  await redis.flushall()
  redis.disconnect()
}

Events('worker.registered: a worker joins', async () => {
  const counts = { edges: 1, actors: 1, pools: 1, workers: 1 }
  const pools = layOutPorts(network.portBase, counts).pools.map(poolUrl).join(',')
  worker = startWorker(pools, [SLOW_MODEL], {
    WORKER_PRIVATE_KEY: key,
    WORKER_REGION: 'eu-west',
    WORKER_SAMPLE_TOKEN_MS: '1000',
  })
  await until(
    'the worker to be told of',
    () =>
      envelopes().find(
        ({ event, data }) => event === 'worker.registered' && data.worker_address === workerAddress,
      ),
    WAIT_MS,
  )
})

Events('job.timeout: nobody finishes in time', async () => {
  await untilServed(network, SLOW_MODEL, 1, WAIT_MS)
  const { status, text } = await ask(SLOW_MODEL)
  assert.is(status, 504, text)
  const jobId: string = JSON.parse(text).error.details.job_id
  const told = await event('job.timeout', jobId)
  const job = await readJob(customer, jobId)
  showsJob(told, job, 'refunded')
  await until('the refund on chain', () => refundIsIn(told))
  await restingBalance(customer, chain)
})

Events('job.failed: the worker is lost', async () => {
  const answer = ask(SLOW_MODEL, true).catch(() => undefined)
  const taken = await until(
    'a second job of the slow worker',
    () => {
      const found = envelopes().filter(
        ({ event, data }) => event === 'job.processing' && data.model === SLOW_MODEL,
      )
      return found.length > 1 && found.at(-1)
    },
    WAIT_MS,
  )
  worker.signal('SIGKILL')
  await answer
  const told = await event('job.failed', String(taken.data.job_id))
  showsJob(told, await readJob(customer, String(taken.data.job_id)), 'failed')
  assert.match(String(told.data.reason), /^[a-z_]+$/)
  await until('the refund on chain', () => refundIsIn(told))
})

Events('worker.slashed: it has signed two answers to one job', async () => {
  const transport = headFollowing(network.rpc_url)
  const address = toAddress(network.contracts.worker_staking)
  const staking = { address, abi: workerStakingAbi, chain: null }
  const anvil = createTestClient({ mode: 'anvil', transport })
  await anvil.setBalance({ address: privateKeyToAddress(key), value: parseUnits('1', 18) })
  const jobId = makeJobId(systemClock.now(), systemClock.randomBytes(16))
  const workerId = await createPublicClient({ transport }).readContract({
    ...staking,
    functionName: 'workerIdOf',
    args: [privateKeyToAddress(key)],
  })
  const slash_tx = await makeWriter(network.rpc_url, key).writeContract({
    ...staking,
    functionName: 'slashEquivocation',
    args: [workerId, jobIdToBytes32(jobId), signedAs(jobId, 'a'), signedAs(jobId, 'b')],
  })
  const { data } = await event('worker.slashed')
  assert.equal(data, {
    worker_address: workerAddress,
    slash_amount_rcompute: 0,
    slash_tx,
    reason: 'equivocation',
    related_job_id: jobId,
  })
})

function signedAs(jobId: ReturnType<typeof makeJobId>, text: string) {
  const completion = { outputHash: outputHash(text), outputTokens: 20, completedAt: 1_800_000_000 }
  const separator = domainSeparator({
    name: 'JobEscrow',
    chainId: network.chain_id,
    contract: toAddress(network.contracts.job_escrow),
  })
  const { r, vs } = sign(completionDigest(separator, { jobId, ...completion }), secret)
  return { ...completion, r, vs }
}

Events(
  'every delivery has its form and its signature; strangers hear of workers alone',
  async () => {
    assert.equal(new Set(envelopes().map(({ event }) => event)), new Set(EVENT_TYPES))
    for (const { body, headers, eventId } of receiver.received('mine')) {
      const { id, event, created_at, api_version, data, ...more } = JSON.parse(body)
      assert.match(id, /^evt_[0-9a-zA-Z]+$/)
      assert.is(id, eventId)
      assert.ok(event && data)
      assert.is(new Date(created_at).toISOString(), created_at)
      assert.is(api_version, '2026-06-01')
      assert.equal(more, {})
      const at = toUnixMs(Number(headers['webhook-timestamp']) * 1_000)
      const expected = signatureHeaders({ eventId, at, body, secret: SECRET }, defaultNames)
      for (const [name, value] of Object.entries(expected)) {
        assert.is(headers[name.toLowerCase()], value)
      }
    }
    const heard = () => envelopes('stranger').map(({ event }) => event)
    // Each webhook is told by itself.
    for (const type of ['worker.slashed', 'worker.registered']) {
      await until(`${type} at the stranger`, () => heard().includes(type), WAIT_MS)
    }
    const strangers = heard()
    assert.equal(
      strangers.filter((event) => !event.startsWith('worker.')),
      [],
    )
  },
)

Events.run()
