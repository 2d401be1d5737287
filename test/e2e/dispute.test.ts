import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTestClient } from 'viem'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { toAddress, toHex32, toJobId } from '../../src/domain/ids.ts'
import { makeEscrowCaller } from '../fakes/chain/escrow-caller.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { pause, until } from '../until.ts'
import { audit } from './books.ts'
import { hashOf } from './calls.ts'
import type { DisputeOnChain } from './chain-ledger.ts'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  firstCustomer,
  jobBecomes,
  jobSettles,
  newCustomer,
  readAccount,
  readJob,
  send,
} from './customer.ts'
import type { Completion, Refused } from './public-shapes.ts'
import { killAndWait } from './until.ts'

/** Contested answers on a whole network, from the request to the verdict on chain. */
const Disputes = suite('disputes')

const MODEL = 'Qwen/Qwen3-8B'
const FLAT = 8
const WINDOW_SECONDS = 75
const BOOKS_MS = 90_000
const WRONG = hashOf('what somebody else received')

let network: Network
let customer: Customer
/** Its window ends while the other tests run. */
let first: Answered

interface Answered {
  readonly id: string
  readonly text: string
}
interface Dispute {
  readonly job_id: string
  readonly dispute_opened: boolean
  readonly your_hash: string
  readonly worker_hash: string
  readonly dispute_tx: string | null
  readonly arbitration_window_hours: number | null
}

Disputes.before(async () => {
  network = await startNetwork({
    env: {
      DISPUTE_WINDOW_SECONDS: String(WINDOW_SECONDS),
      // As long as asked for: one is stopped in the middle.
      WORKER_SAMPLE_TOKENS: '3000',
      WORKER_SAMPLE_TOKEN_MS: '2',
    },
  })
  customer = firstCustomer(network)
  first = await answered()
})
Disputes.after(() => network?.stop())

Disputes('a settled job: open on chain, and shown in the job', async () => {
  const { id, text } = await settled()
  const before = await readJob(customer, id)
  const answer = await dispute(id)
  const body: Dispute = bodyOf(answer)
  const tx = body.dispute_tx ?? ''
  assert.equal(body, {
    job_id: id,
    dispute_opened: true,
    your_hash: WRONG,
    worker_hash: hashOf(text),
    dispute_tx: toHex32(tx),
    arbitration_window_hours: 24,
  })
  assert.is(answer.headers['x-svc-job-id'], id)
  assert.is(answer.headers['x-svc-settlement-tx'], before.on_chain.settlement_tx)
  const job = await readJob(customer, id)
  assert.equal(job, {
    ...before,
    status: 'disputed',
    on_chain: { ...before.on_chain, dispute_tx: tx },
  })
  const { claimedHash, end, tx: mined } = await onChain(id)
  assert.equal([mined, `sha256:${claimedHash.slice(2)}`, end], [tx, WRONG, null])
  isRefused(await dispute(id), 409, 'dispute_already_open')
  isRefused(await dispute(id, hashOf(text)), 409, 'dispute_already_open')
  assert.equal(await readJob(customer, id), job)
})

Disputes('a job that may still be settling: disputed at once', async () => {
  const { id } = await answered()
  const body: Dispute = bodyOf(await dispute(id))
  const job = await readJob(customer, id)
  assert.is(job.status, 'disputed')
  assert.is(job.on_chain.dispute_tx, body.dispute_tx)
  assert.is((await onChain(id)).tx, body.dispute_tx)
})

Disputes('equal hashes: nothing opens, in whatever case they are written', async () => {
  const { id, text } = await settled()
  const before = await readJob(customer, id)
  const hash = hashOf(text)
  for (const same of [hash, `sha256:${hash.slice(7).toUpperCase()}`]) {
    assert.equal(bodyOf(await dispute(id, same)), {
      job_id: id,
      dispute_opened: false,
      your_hash: hash,
      worker_hash: hash,
      dispute_tx: null,
      arbitration_window_hours: null,
    })
  }
  assert.equal(await readJob(customer, id), before)
  assert.is((await settlementOf(id)).dispute, null)
})

Disputes('upheld by the arbiter: refunded, the credits are back', async () => {
  const { id } = await settled()
  const { credits_remaining: before } = await readAccount(customer)
  bodyOf(await dispute(id))
  const disputed = await readJob(customer, id)
  assert.is(disputed.credits_charged, FLAT)
  await onChain(id)
  await arbiter().resolveDispute(toJobId(id), true)
  const job = await jobBecomes(customer, id, ({ status }) => status === 'refunded')
  const resolution = (await onChain(id)).end
  assert.ok(resolution?.upheld)
  assert.equal(job, {
    ...disputed,
    status: 'refunded',
    credits_charged: 0,
    usdg_value: 0,
    on_chain: { ...disputed.on_chain, refund_tx: resolution.tx },
  })
  await balanceBecomes(customer, before + FLAT)
  isRefused(await dispute(id), 409, 'dispute_already_open')
  await booksAreRight()
})

Disputes('rejected by the arbiter: settled as before, the dispute stays known', async () => {
  const { id } = await settled()
  const { credits_remaining: before } = await readAccount(customer)
  bodyOf(await dispute(id))
  const disputed = await readJob(customer, id)
  await onChain(id)
  await arbiter().resolveDispute(toJobId(id), false)
  const job = await jobSettles(customer, id)
  assert.equal(job, { ...disputed, status: 'settled' })
  assert.is((await readAccount(customer)).credits_remaining, before)
  await booksAreRight()
})

Disputes('opened on chain by the wallet itself: the job is disputed', async () => {
  const { id } = await settled()
  await as(customer.privateKey).openDispute(toJobId(id), toHex32(`0x${WRONG.slice(7)}`))
  const job = await jobBecomes(customer, id, ({ status }) => status === 'disputed')
  assert.is(job.on_chain.dispute_tx, (await onChain(id)).tx)
  isRefused(await dispute(id), 409, 'dispute_already_open')
  await arbiter().resolveDispute(toJobId(id), true)
  await jobBecomes(customer, id, ({ status }) => status === 'refunded')
})

Disputes('what is not a hash: 400', async () => {
  const { id } = await settled()
  for (const hash of [null, 7, '', 'sha256:', WRONG.slice(7), `${WRONG}0`]) {
    const error = isRefused(await dispute(id, hash), 400, 'invalid_request')
    assert.is(error.param, 'received_output_hash')
  }
  assert.is((await readJob(customer, id)).status, 'settled')
})

Disputes("another wallet's job and one that never was: the same 404", async () => {
  const { id } = await settled()
  const stranger = await newCustomer(network)
  isRefused(await dispute(id, WRONG, stranger), 404, 'job_not_found')
  isRefused(await dispute(`job_${'0'.repeat(26)}`), 404, 'job_not_found')
  isRefused(await dispute('job_'), 404, 'job_not_found')
  isRefused(
    await send(customer, `/jobs/${id}/dispute`, { method: 'POST', authorization: null }),
    401,
    'missing_api_key',
  )
  assert.is((await readJob(customer, id)).status, 'settled')
})

Disputes('a job that is not completed: 409', async () => {
  const leaving = new AbortController()
  const answer = await fetch(`${network.base_url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${network.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...question, max_tokens: 5_000, stream: true }),
    signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(30_000)]),
  })
  const id = answer.headers.get('x-svc-job-id') ?? ''
  const halted = network.pids('worker')
  for (const pid of halted) process.kill(pid, 'SIGSTOP')
  try {
    const refused = isRefused(await dispute(id), 409, 'job_not_completed')
    assert.match(refused.message, id)
  } finally {
    for (const pid of halted) process.kill(pid, 'SIGCONT')
  }
  leaving.abort()
  await jobBecomes(customer, id, ({ status }) => status === 'settled' || status === 'failed')
})

Disputes('answers once the transaction is broadcast, not when it is mined', async () => {
  const { id } = await settled()
  const node = createTestClient({ mode: 'anvil', transport: headFollowing(network.rpc_url) })
  await node.setAutomine(false)
  let tx: string | null
  try {
    tx = bodyOf<Dispute>(await dispute(id)).dispute_tx
    assert.ok(tx)
    assert.is((await readJob(customer, id)).on_chain.dispute_tx, tx)
    assert.is((await settlementOf(id)).dispute, null)
  } finally {
    await node.setAutomine(true)
    await node.mine({ blocks: 1 })
  }
  assert.is((await onChain(id)).tx, tx)
})

Disputes('a job that every process has forgotten can be disputed', async () => {
  const { id } = await settled()
  await killAndWait(network, 'actors')
  const body: Dispute = bodyOf(await eventuallyTaken(id))
  assert.ok(body.dispute_opened)
  assert.is((await onChain(id)).tx, body.dispute_tx)
})

Disputes('an actors process that dies under it: the dispute opens once', async () => {
  const { id } = await answered()
  const asked = dispute(id)
  await killAndWait(network, 'actors')
  const answer = await asked
  // A host that is back late lets the edge give up first; the job may have taken it all the same.
  if (answer.status !== 503) assert.ok(bodyOf<Dispute>(answer).dispute_opened)
  else await eventuallyTaken(id)
  const tx = (await onChain(id)).tx
  const job = await jobBecomes(customer, id, ({ on_chain }) => on_chain.dispute_tx !== null)
  assert.equal([job.status, job.on_chain.dispute_tx], ['disputed', tx])
  await arbiter().resolveDispute(toJobId(id), false)
  await jobSettles(customer, id)
})

Disputes('after the window: 422, whatever the hash', async () => {
  const { id, text } = first
  const { completed_at, status } = await readJob(customer, id)
  await pause(Date.parse(completed_at ?? '') + WINDOW_SECONDS * 1_000 + 200 - Date.now())
  isRefused(await dispute(id), 422, 'dispute_window_expired')
  const answer = await dispute(id, hashOf(text))
  isRefused(answer, 422, 'dispute_window_expired')
  assert.is(answer.headers['x-svc-job-id'], id)
  assert.is(status, 'settled')
})

Disputes('the books are right, with disputes open and decided', async () => {
  await booksAreRight()
})

const question = {
  model: MODEL,
  messages: [{ role: 'user', content: 'Is that so?' }],
  max_tokens: 40,
}

async function answered(): Promise<Answered> {
  const completion: Completion = bodyOf(await chat(customer, question))
  const { content: text } = completion.choices[0].message
  return { id: completion.id.replace(/^chatcmpl-/, ''), text }
}

async function settled(): Promise<Answered> {
  const job = await answered()
  await jobSettles(customer, job.id)
  return job
}

function dispute(id: string, hash: unknown = WRONG, by = customer): Promise<Answer> {
  return send(by, `/jobs/${id}/dispute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { received_output_hash: hash },
  })
}

/** Says it again while there is no host to take it. */
const eventuallyTaken = (id: string): Promise<Answer> =>
  until(
    `an answer to the dispute of ${id}`,
    async () => {
      const answer = await dispute(id)
      return answer.status === 503 ? undefined : answer
    },
    60_000,
  )

function isRefused({ status, text, headers }: Answer, wanted: number, code: string): Refused {
  const { error } = JSON.parse(text) as { error: Refused }
  assert.equal([status, error?.code], [wanted, code], text)
  if (status === 409) assert.is(headers['x-should-retry'], 'false')
  return error
}

const as = (privateKey: string) =>
  makeEscrowCaller({
    rpcUrl: network.rpc_url,
    contracts: { jobEscrow: toAddress(network.contracts.job_escrow) },
    privateKey: `0x${privateKey.slice(2)}`,
  })
const arbiter = () => as(network.arbiter.private_key)

const booksAreRight = () => audit(network, BOOKS_MS)

async function settlementOf(id: string) {
  const end = (await booksAreRight()).jobs.get(id)?.end
  if (end?.type !== 'settled') throw new Error(`${id} is ${end?.type ?? 'not settled'} on chain`)
  return end
}

/** The dispute as the chain has it, as soon as it has. */
const onChain = (id: string): Promise<DisputeOnChain> =>
  until(`the dispute of ${id}`, async () => (await settlementOf(id)).dispute ?? undefined)

Disputes.run()
