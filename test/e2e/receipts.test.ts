import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toHex32 } from '../../src/domain/ids.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ChainReader, UNITS_PER_CREDIT } from './chain-reader.ts'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  firstCustomer,
  jobBecomes,
  newCustomer,
  readAccount,
  readJob,
} from './customer.ts'
import type { Completion, Job } from './public-shapes.ts'
import { streamed } from './streamed.ts'

/** What an answer says of its payment, held against the chain. */
const Receipts = suite('receipts')

const MODEL = 'Qwen/Qwen3-8B'
const STANDARD = { tier: 1, flat: 8n, per1k: 4n }
/** Answers are of two to four thirds of 1 500 tokens: always above the flat size. */
const SAMPLE_TOKENS = 1_500
const question = { model: MODEL, messages: [{ role: 'user', content: 'What is it worth?' }] }

let network: Network
let customer: Customer
let chain: ChainReader

Receipts.before(async () => {
  network = await startNetwork({
    env: {
      WORKER_SAMPLE_TOKENS: String(SAMPLE_TOKENS),
      WORKER_SAMPLE_TOKEN_MS: '0',
      // A settlement stays `settling` until the next block, so that it can be looked at.
      CHAIN_CONFIRMATIONS: '2',
    },
  })
  customer = firstCustomer(network)
  chain = new ChainReader(network)
})

Receipts.after(async () => {
  await network?.stop()
})

Receipts('a plain answer names transactions that the chain confirms', async () => {
  const before = (await readAccount(customer)).credits_remaining
  const answer = await chat(customer, { ...question, max_tokens: 40 })
  const completion: Completion = bodyOf(answer)
  const jobId = header(answer, 'x-svc-job-id')
  assert.is(completion.id, `chatcmpl-${jobId}`)
  assert.is(completion.usage.completion_tokens, 40)
  assert.is(header(answer, 'x-svc-credits-remaining'), String(before - 8))

  assert.equal((await readJob(customer, jobId)).usage, completion.usage)
  const { content } = completion.choices[0].message
  await checkReceipt({
    jobId,
    text: content,
    escrowTx: txOf(answer, 'x-svc-tx-hash'),
    settlementTx: txOf(answer, 'x-svc-settlement-tx'),
    worker: header(answer, 'x-svc-worker'),
    lock: 8n,
    tokens: 40,
  })
  await balanceBecomes(customer, before - 8)
})

Receipts('a stream tells the same in its trailer and in its last chunk', async () => {
  const before = (await readAccount(customer)).credits_remaining
  const answer = await chat(customer, { ...question, max_tokens: 40, stream: true })
  assert.is(answer.status, 200)
  const { text, service, isDone } = streamed(answer)
  assert.ok(isDone && service)
  const jobId = header(answer, 'x-svc-job-id')
  assert.is(answer.headers['x-svc-settlement-tx'], undefined, 'not known when headers leave')
  assert.is(answer.headers.trailer, 'x-svc-settlement-tx')
  // While the stream runs its whole lock is out.
  assert.is(header(answer, 'x-svc-credits-remaining'), String(before - 8))
  const settlementTx = toHex32(answer.trailers['x-svc-settlement-tx'] ?? '')
  assert.equal(service, {
    job_id: jobId,
    escrow_tx: txOf(answer, 'x-svc-tx-hash'),
    settlement_tx: settlementTx,
    worker: header(answer, 'x-svc-worker'),
    credits_charged: 8,
    credits_remaining: before - 8,
    output_hash: publicHash(text),
  })
  const { escrow_tx: escrowTx, worker } = service
  await checkReceipt({ jobId, text, escrowTx, settlementTx, worker, lock: 8n, tokens: 40 })
  await balanceBecomes(customer, before - 8)
})

Receipts('a long answer is charged by its tokens, and the rest of the lock returns', async () => {
  const before = (await readAccount(customer)).credits_remaining
  const answer = await chat(customer, { ...question, max_tokens: 10_000, stream: true })
  const { text, service, chunks, finishReason } = streamed(answer)
  assert.is(finishReason, 'stop')
  assert.ok(service)
  const jobId = service.job_id
  assert.is(chunks[0]!.id, `chatcmpl-${jobId}`)
  // 8 for the first 500 tokens, 4 for each 1 000 of the 9 500 above.
  const lock = 46n
  const inFlight = Number(header(answer, 'x-svc-credits-remaining'))
  assert.is(inFlight, before - Number(lock))

  const { usage } = await readJob(customer, jobId)
  const tokens = usage!.completion_tokens
  assert.ok(tokens >= 1_000 && tokens <= 2_001, `${tokens} tokens`)
  const charged = priced(tokens)
  assert.is(service.credits_charged, Number(charged))
  assert.is(service.credits_remaining, before - Number(charged))
  await checkReceipt({
    jobId,
    text,
    escrowTx: service.escrow_tx,
    settlementTx: toHex32(service.settlement_tx ?? ''),
    worker: service.worker,
    lock,
    tokens,
  })
  await balanceBecomes(customer, before - Number(charged))
})

Receipts('without max_tokens no more is locked than the model can cost', async () => {
  const completion: Completion = bodyOf(await chat(customer, question))
  const { credits } = (await chain.lock(jobIdOf(completion))).args
  // The whole window is the most that an answer can take.
  assert.ok(BigInt(credits) <= priced(32_768), `${credits} credits`)
  assert.ok(BigInt(credits) >= priced(completion.usage.completion_tokens))
  assert.is(completion.choices[0].finish_reason, 'stop')
})

Receipts(
  'of a cap beyond the context window the price is locked, and nobody gets there',
  async () => {
    const max_tokens = 1_000_000
    const completion: Completion = bodyOf(await chat(customer, { ...question, max_tokens }))
    const { credits } = (await chain.lock(jobIdOf(completion))).args
    assert.is(BigInt(credits), priced(max_tokens))
    assert.is(completion.choices[0].finish_reason, 'stop')
  },
)

Receipts('without max_tokens no more is locked than the balance', async () => {
  const small = await newCustomer(network)
  await chain.deposit(small, 100)
  const answer = await chat(small, question)
  const completion: Completion = bodyOf(answer)
  const jobId = jobIdOf(completion)
  assert.is((await chain.lock(jobId)).args.credits, 100)
  const charged = priced(completion.usage.completion_tokens)
  assert.is(header(answer, 'x-svc-credits-remaining'), String(100n - charged))
  await settles(small, jobId)
  await balanceBecomes(small, 100 - Number(charged))
  assert.equal(await chain.account(small.wallet), { available: 100n - charged, locked: 0n })
})

Receipts('what the escrow holds is what it owes', async () => {
  const { heldUnits, owedUnits } = await chain.books()
  assert.is(heldUnits, owedUnits)
  assert.is(heldUnits, (100_000n + 100n) * UNITS_PER_CREDIT)
})

interface Receipt {
  readonly jobId: string
  /** As received. */
  readonly text: string
  readonly escrowTx: `0x${string}`
  readonly settlementTx: `0x${string}`
  readonly worker: string
  readonly lock: bigint
  readonly tokens: number
}

/** Follows one receipt through the chain and through GET /jobs, from settling to settled. */
async function checkReceipt(receipt: Receipt): Promise<void> {
  const { jobId, text, escrowTx, settlementTx, worker, lock, tokens } = receipt
  const charged = priced(tokens)
  checkSettling(await readJob(customer, jobId), receipt)

  const locked = await chain.lock(jobId)
  assert.ok(await chain.succeeded(locked.transactionHash))
  assert.is(locked.transactionHash, escrowTx)
  assert.is(locked.args.wallet.toLowerCase(), customer.wallet)
  assert.is(BigInt(locked.args.credits), lock)
  assert.is(locked.args.tier, STANDARD.tier)

  // Its hash is told as soon as it is broadcast: it may not be in a block yet.
  const settled = await until(`${settlementTx} is in a block`, () => chain.settlement(jobId))
  assert.ok(await chain.succeeded(settled.transactionHash))
  assert.is(settled.transactionHash, settlementTx)
  const { args } = settled
  assert.is(args.wallet.toLowerCase(), customer.wallet)
  assert.is(`sha256:${args.outputHash.slice(2)}`, publicHash(text))
  assert.is(args.outputTokens, tokens)
  assert.is(BigInt(args.creditsCharged), charged)
  assert.is(BigInt(args.creditsReturned), lock - charged)
  assert.is(args.workerUnits, (charged * UNITS_PER_CREDIT * 75n) / 100n)
  assert.is(args.workerUnits + args.treasuryUnits, charged * UNITS_PER_CREDIT)
  assert.is(await chain.worker(args.workerId), worker)
  assert.is(await chain.signerOf(settled.transactionHash, jobId), worker)

  const job = await settles(customer, jobId)
  const wanted: Job = {
    id: jobId,
    object: 'job',
    status: 'settled',
    model: MODEL,
    tier: 'standard',
    credits_charged: Number(charged),
    usdg_value: Number(charged) / 100,
    worker_address: worker,
    created_at: job.created_at,
    completed_at: job.completed_at,
    on_chain: {
      escrow_tx: escrowTx,
      settlement_tx: settlementTx,
      escrow_address: network.contracts.job_escrow,
      block_number: Number(settled.blockNumber),
      proof_hash: publicHash(text),
      refund_tx: null,
      dispute_tx: null,
    },
    usage: job.usage,
  }
  assert.equal(job, wanted)
  const { heldUnits, owedUnits } = await chain.books()
  assert.is(heldUnits, owedUnits)
}

function checkSettling(job: Job, { text, escrowTx, worker, tokens }: Receipt): void {
  assert.is(job.status, 'settling')
  assert.is(job.credits_charged, 0)
  assert.is(job.usdg_value, 0)
  assert.is(job.worker_address, worker)
  assert.is(job.on_chain.escrow_tx, escrowTx)
  assert.is(job.on_chain.proof_hash, publicHash(text))
  assert.is(job.on_chain.refund_tx, null)
  assert.is(job.usage!.completion_tokens, tokens)
  assert.is(job.usage!.total_tokens, tokens + job.usage!.prompt_tokens)
  const [created, completed] = [job.created_at, job.completed_at ?? ''].map(Date.parse)
  assert.ok(created! <= completed! && completed! <= Date.now())
  assert.is(job.created_at, new Date(created!).toISOString())
}

/** One more block confirms the settlement. */
async function settles(of: Customer, jobId: string): Promise<Job> {
  await chain.mine()
  return jobBecomes(of, jobId, ({ status }) => status === 'settled')
}

function priced(tokens: number): bigint {
  const above = BigInt(Math.max(0, tokens - 500))
  return STANDARD.flat + (above * STANDARD.per1k + 999n) / 1000n
}

const publicHash = (text: string): string =>
  `sha256:${createHash('sha256').update(text.replace(/\n+$/, '')).digest('hex')}`

const jobIdOf = ({ id }: Completion): string => id.replace(/^chatcmpl-/, '')

function txOf(answer: Answer, name: string): `0x${string}` {
  return toHex32(header(answer, name))
}

function header(answer: Answer, name: string): string {
  const value = answer.headers[name]
  if (typeof value !== 'string') throw new Error(`no ${name} in ${answer.status} ${answer.text}`)
  return value
}

Receipts.run()
