import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ChainReader, UNITS_PER_CREDIT } from './chain-reader.ts'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  jobSettles,
  newCustomer,
  readAccount,
  restingBalance,
} from './customer.ts'
import type { Completion, Refused } from './public-shapes.ts'
import { streamed } from './streamed.ts'

/** What a balance allows, down to the last credit. */
const Credits = suite('credits')

/** 8 credits up to 500 tokens, 4 for each 1 000 above. */
const STANDARD = 'Qwen/Qwen3-8B'
/** 40 credits up to 500 tokens, 20 for each 1 000 above. */
const MAX = 'meta-llama/Llama-3.3-70B-Instruct'
const messages = [{ role: 'user', content: 'What is left?' }]
const DEPOSIT = 100

let network: Network
let chain: ChainReader
const deposited: Customer[] = []

Credits.before(async () => {
  network = await startNetwork({
    // Uncapped answers take 4 000 tokens or more: more than 100 credits of the largest tier cover.
    env: { WORKER_SAMPLE_TOKENS: '6000', WORKER_SAMPLE_TOKEN_MS: '0' },
  })
  chain = new ChainReader(network)
})

Credits.after(async () => {
  await network?.stop()
})

Credits('a wallet that never bought a credit has an account and no answers', async () => {
  const poor = await newCustomer(network)
  const { api_key_created_at, ...account } = await readAccount(poor)
  assert.ok(Math.abs(Date.now() - Date.parse(api_key_created_at)) < 60_000)
  assert.equal(account, {
    wallet: poor.wallet,
    credits_remaining: 0,
    usdg_value: 0,
    last_topup_at: null,
  })
  for (const [body, credits_required, tier] of [
    [{ model: STANDARD, messages }, 8, 'standard'],
    [{ model: STANDARD, messages, stream: true }, 8, 'standard'],
    [{ model: STANDARD, messages, max_tokens: 1_501 }, 13, 'standard'],
    [{ model: MAX, messages, max_tokens: 500 }, 40, 'max'],
    [{ model: 'Qwen/Qwen3-1.7B', messages }, 2, 'lite'],
  ] as const) {
    const answer = await chat(poor, body)
    assert.equal(refusedForCredits(answer), { credits_remaining: 0, credits_required, tier })
    assert.is(answer.headers['x-svc-credits-remaining'], '0')
    assert.is(answer.headers['x-svc-job-id'], undefined)
  }
})

Credits('a deposit is spendable as soon as it is seen', async () => {
  const customer = await newCustomer(network)
  // Known with nothing before the chain tells of more.
  assert.is((await readAccount(customer)).credits_remaining, 0)
  const began = Date.now()
  await deposit(customer)
  const account = await until('the deposit is seen', async () => {
    const seen = await readAccount(customer)
    return seen.credits_remaining === DEPOSIT ? seen : undefined
  })
  assert.is(account.usdg_value, 1)
  const topup = Date.parse(account.last_topup_at ?? '')
  // A block's time is in whole seconds.
  assert.ok(topup >= began - 2_000 && topup <= Date.now() + 2_000, String(account.last_topup_at))
  const answer = await chat(customer, { model: STANDARD, messages, max_tokens: 5 })
  assert.is(answer.status, 200)
  assert.is(answer.headers['x-svc-credits-remaining'], '92')
  await balanceBecomes(customer, 92)
  assert.is((await readAccount(customer)).last_topup_at, account.last_topup_at)
})

Credits('a small balance without max_tokens buys as much answer as it covers', async () => {
  const customer = await newCustomer(network)
  await deposit(customer)
  const first = await chat(customer, { model: MAX, messages })
  const completion: Completion = bodyOf(first)
  assert.is(completion.choices[0].finish_reason, 'length')
  // 40 for 500, and 60 more for 3 000.
  assert.is(completion.usage.completion_tokens, 3_500)
  assert.is(first.headers['x-svc-credits-remaining'], '0')
  const jobId = completion.id.replace('chatcmpl-', '')
  assert.is((await chain.lock(jobId)).args.credits, DEPOSIT)
  const job = await jobSettles(customer, jobId)
  assert.is(job.credits_charged, DEPOSIT)
  await balanceBecomes(customer, 0)

  const next = await chat(customer, { model: STANDARD, messages })
  const nothing = { credits_remaining: 0, credits_required: 8, tier: 'standard' }
  assert.equal(refusedForCredits(next), nothing)
})

Credits('the same streamed: the end says length, and what it cost', async () => {
  const customer = await newCustomer(network)
  await deposit(customer)
  const spent = await chat(customer, { model: MAX, messages, max_tokens: 5 })
  assert.is(spent.headers['x-svc-credits-remaining'], '60')
  await balanceBecomes(customer, 60)

  const answer = await chat(customer, { model: MAX, messages, stream: true })
  assert.is(answer.headers['x-svc-credits-remaining'], '0')
  const { finishReason, service, isDone } = streamed(answer)
  assert.ok(isDone)
  assert.is(finishReason, 'length')
  assert.is(service?.credits_charged, 60)
  assert.is(service?.credits_remaining, 0)
  const job = await jobSettles(customer, service?.job_id ?? '')
  // 40 for 500, and 20 more for 1 000.
  assert.is(job.usage!.completion_tokens, 1_500)
})

Credits('one request after the other, each without a cap, is answered in full', async () => {
  const customer = await newCustomer(network)
  await deposit(customer)
  // Each locks all that there is, and costs a third of it at most.
  const uncapped = { model: STANDARD, messages }
  const first = await chat(customer, uncapped)
  assert.is(first.status, 200, first.text.slice(0, 300))
  assert.is((bodyOf(first) as Completion).choices[0].finish_reason, 'stop')
  const second = streamed(await chat(customer, { ...uncapped, stream: true }))
  assert.equal([second.isDone, second.finishReason], [true, 'stop'], 'not cut short')
  assert.is((await chat(customer, uncapped)).status, 200)
  await restingBalance(customer, chain)
})

Credits('who hangs up before the first word and asks again is answered', async () => {
  const customer = await newCustomer(network)
  await deposit(customer)
  const body = { model: STANDARD, messages }
  const leaving = new AbortController()
  const left = fetch(`${customer.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).catch(() => 'left')
  await until('the credits are set aside', async () => {
    return (await readAccount(customer)).credits_remaining < DEPOSIT
  })
  leaving.abort()
  await left
  const answer = await chat(customer, body)
  assert.is(answer.status, 200, answer.text.slice(0, 300))
  await restingBalance(customer, chain)
})

Credits('an explicit max_tokens is never cut, but refused with its price', async () => {
  const customer = await newCustomer(network)
  await deposit(customer)
  const over = await chat(customer, { model: MAX, messages, max_tokens: 3_501 })
  const price = { credits_remaining: DEPOSIT, credits_required: 101, tier: 'max' }
  assert.equal(refusedForCredits(over), price)
  assert.is((await chain.locksOf(customer.wallet)).length, 0)
  assert.is((await readAccount(customer)).credits_remaining, DEPOSIT)

  const exact = await chat(customer, { model: MAX, messages, max_tokens: 3_500 })
  const completion: Completion = bodyOf(exact)
  assert.is(completion.usage.completion_tokens, 3_500)
  await balanceBecomes(customer, 0)
})

Credits('of requests at once, as many are served as the balance covers', async () => {
  const customer = await newCustomer(network)
  await deposit(customer)
  const body = { model: STANDARD, messages, max_tokens: 50 }
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => chat(customer, { ...body, stream: i % 2 === 1 })),
  )
  const served = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 402)
  assert.equal([served.length, refused.length], [12, 18])
  for (const answer of refused) {
    const { credits_required, credits_remaining } = refusedForCredits(answer)
    assert.is(credits_required, 8)
    assert.ok(Number(credits_remaining) < 8)
  }
  await Promise.all(
    served.map(({ headers }) => jobSettles(customer, String(headers['x-svc-job-id']))),
  )
  await balanceBecomes(customer, DEPOSIT - 12 * 8)
  assert.equal(await chain.account(customer.wallet), { available: 4n, locked: 0n })
  const last = await chat(customer, { model: 'Qwen/Qwen3-1.7B', messages, max_tokens: 500 })
  assert.is(last.status, 200, 'what is left still buys a lite answer')
  await balanceBecomes(customer, 2)
})

Credits('after all of that every token is accounted for on chain', async () => {
  // An answer may be there before its settlement is.
  for (const customer of deposited) await restingBalance(customer, chain)
  const { heldUnits, owedUnits } = await chain.books()
  assert.is(heldUnits, owedUnits)
  assert.is(heldUnits, (100_000n + BigInt(DEPOSIT * deposited.length)) * UNITS_PER_CREDIT)
})

async function deposit(customer: Customer): Promise<void> {
  await chain.deposit(customer, DEPOSIT)
  deposited.push(customer)
}

function refusedForCredits(answer: Answer): Readonly<Record<string, string | number>> {
  assert.is(answer.status, 402, answer.text.slice(0, 300))
  const { error }: { error: Refused } = JSON.parse(answer.text)
  assert.is(error.code, 'insufficient_credits')
  assert.is(error.type, 'payment_error')
  assert.is(error.param, null)
  return error.details ?? {}
}

Credits.run()
