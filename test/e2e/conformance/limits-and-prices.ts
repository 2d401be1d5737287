import * as assert from 'uvu/assert'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  jobSettles,
  readAccount,
} from '../customer.ts'
import type { Completion } from '../public-shapes.ts'
import { listed } from './account-model.ts'
import { ASK, header, LITE, MAX, PRO, payPlain, type Wire, type WireRow } from './wire-stage.ts'

const MIB = 1024 * 1024
const question = [{ role: 'user', content: 'Hello' }]

/** What may be sent, and what an answer costs to the last credit. */
export function limitAndPriceRows(row: WireRow, wire: () => Wire): void {
  limitRows(row, wire)
  chosenLimits(row, wire)
  priceRows(row, wire)
  estimateRows(row, wire)
}

function limitRows(row: WireRow, wire: () => Wire): void {
  const takes = async (fields: object) => bodyOf(await chat(wire().customer, { ...ASK, ...fields }))
  const refuses = (param: string, value: number) => wire().refusesFields({ [param]: value }, param)

  row('Limits', 'Job list page size: default 20, maximum 100', async () => {
    const { get, customer } = wire()
    for (let i = 0; i < 21; i++) await payPlain(customer, { ...ASK, model: LITE, max_tokens: 1 })
    assert.is(bodyOf<{ data: [] }>(await get('/jobs')).data.length, 20)
    bodyOf(await get('/jobs?limit=100'))
    assert.is((await get('/jobs?limit=101')).status, 400)
  })
  row('Limits', 'Flat-price output size: roughly 500 output tokens', async () => {
    const { job } = await payPlain(wire().customer, { ...ASK, max_tokens: 500 })
    assert.is(job.credits_charged, 8)
  })
  row('Limits', 'Context window: per model; overflow gives context_length_exceeded', async () => {
    const window = new Map((await listed(wire())).map(({ id, svc }) => [id, svc.context_window]))
    const most = window.get(LITE) ?? 0
    const wanted = { status: 400, code: 'context_length_exceeded' }
    const messages = [{ role: 'user', content: 'a '.repeat(most + 1) }]
    await wire().refuses(wanted, { model: LITE, messages, max_tokens: 1 })
  })
  row('Limits', 'temperature: 0.0 to 2.0', async () => {
    await takes({ temperature: 0 })
    await takes({ temperature: 2 })
    await refuses('temperature', -0.1)
    await refuses('temperature', 2.1)
  })
  row('Limits', 'frequency_penalty, presence_penalty: -2.0 to 2.0', async () => {
    for (const param of ['frequency_penalty', 'presence_penalty']) {
      await takes({ [param]: -2 })
      await takes({ [param]: 2 })
      await refuses(param, -2.1)
      await refuses(param, 2.1)
    }
  })
  row('Limits', 'Balance: the tier cost must not exceed it, else 402', async () => {
    const somebody = await wire().buyer(100)
    // Two of 40 leave 20: enough for pro, not for max.
    for (let i = 0; i < 2; i++) await payPlain(somebody, { ...ASK, model: MAX })
    const wanted = { status: 402, code: 'insufficient_credits' }
    const { details } = await wire().refuses(wanted, { ...ASK, model: MAX }, somebody)
    assert.equal(details, { credits_remaining: 20, credits_required: 40, tier: 'max' })
    await payPlain(somebody, { ...ASK, model: PRO })
    await payPlain(somebody, { ...ASK, model: LITE })
    await wire().refuses(wanted, { ...ASK, model: LITE }, somebody)
  })
}

function chosenLimits(row: WireRow, wire: () => Wire): void {
  row('Limits (choice)', 'body: 4 MiB', async () => {
    const { customer } = wire()
    const bare = JSON.stringify({ ...ASK, padding: '' }).length
    const largest = { ...ASK, padding: 'x'.repeat(4 * MIB - bare) }
    assert.is(JSON.stringify(largest).length, 4 * MIB)
    bodyOf(await chat(customer, largest))
    const wanted = { status: 413, code: 'request_too_large' }
    await wire().refuses(wanted, { ...largest, padding: `${largest.padding}x` })
  })
  row('Limits (choice)', 'messages: 2 048', async () => {
    const said = (count: number) => Array.from({ length: count }, () => question[0])
    bodyOf(await chat(wire().customer, { ...ASK, messages: said(2_048) }))
    await wire().refusesFields({ messages: said(2_049) }, 'messages')
  })
  row('Limits (choice)', 'JSON depth: 32', async () => {
    // The body itself is the first level.
    const nested = (levels: number) =>
      `${JSON.stringify(ASK).slice(0, -1)},"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`
    bodyOf(await chat(wire().customer, nested(31)))
    await wire().refuses({ status: 400, code: 'invalid_request', param: null }, nested(32))
  })
}

function priceRows(row: WireRow, wire: () => Wire): void {
  const charge = async (max_tokens: number) => {
    const { job } = await payPlain(wire().customer, { ...ASK, max_tokens })
    assert.is(job.usage?.completion_tokens, max_tokens)
    return job.credits_charged
  }
  row('Price (choice)', 'flat price up to and including 500 output tokens', async () => {
    assert.equal([await charge(1), await charge(500)], [8, 8])
  })
  row('Price (choice)', 'above it: flat + ceil((tokens - 500) * rate / 1000)', async () => {
    const charges = []
    for (const tokens of [501, 750, 751, 1_500, 1_501]) charges.push(await charge(tokens))
    assert.equal(charges, [9, 9, 10, 12, 13])
  })
  row('Price (choice)', 'the lock with max_tokens is its price', async () => {
    const { chain, customer } = wire()
    // It ends long before: the lock is of what might have been.
    const { job } = await payPlain(customer, { ...ASK, max_tokens: 10_500, stop: 'imitates' })
    assert.is((await chain.lock(job.id)).args.credits, 48)
    assert.is(job.credits_charged, 8)
  })
  row('Price (choice)', 'the charge never exceeds the lock, and the rest returns', async () => {
    const { chain, buyer } = wire()
    const somebody = await buyer(100)
    const { job } = await payPlain(somebody, { ...ASK, max_tokens: 10_500, stop: 'imitates' })
    const settled = await chain.settlement(job.id)
    assert.is(settled?.args.creditsCharged, 8)
    assert.is(settled?.args.creditsReturned, 40)
    await balanceBecomes(somebody, 92)
    assert.equal(await chain.account(somebody.wallet), { available: 92n, locked: 0n })
  })
  row('Price (choice)', 'shares: the worker rounds down, the treasury takes the rest', async () => {
    const { chain, customer } = wire()
    const { job } = await payPlain(customer, { ...ASK, max_tokens: 501 })
    const settled = await chain.settlement(job.id)
    // 9 credits of 10 000 units: 75 % of 90 000.
    assert.is(settled?.args.workerUnits, 67_500n)
    assert.is(settled?.args.treasuryUnits, 22_500n)
  })
}

function estimateRows(row: WireRow, wire: () => Wire): void {
  const lockOf = async (answer: Answer) =>
    (await wire().chain.lock(header(answer, 'x-svc-job-id'))).args.credits
  const openAsk = { model: MAX, messages: question }
  const openOf = async (somebody: Customer) => {
    const answer = await chat(somebody, openAsk)
    const { choices, usage }: Completion = bodyOf(answer)
    return { answer, usage, finishReason: choices[0].finish_reason }
  }

  row('Price (choice)', 'the lock without max_tokens is cut down to the balance', async () => {
    const { answer } = await openOf(await wire().buyer(100))
    assert.is(await lockOf(answer), 100)
    const rich = await openOf(wire().customer)
    // 40 for 500 tokens, 20 for each 1 000 of the rest of the window, less the prompt.
    const lock = await lockOf(rich.answer)
    assert.ok(lock > 2_600 && lock <= 2_652, `${lock} credits`)
  })
  row(
    'Price (choice)',
    'a small balance without max_tokens gives no 402 and ends with length',
    async () => {
      const somebody = await wire().buyer(100)
      const first = await chat(somebody, { ...openAsk, max_tokens: 20 })
      await jobSettles(somebody, header(first, 'x-svc-job-id'))
      await balanceBecomes(somebody, 60)
      const { usage, finishReason } = await openOf(somebody)
      assert.is(finishReason, 'length')
      assert.is(usage.completion_tokens, 1_500, '40 for 500 tokens, 20 for 1 000 more')
      await balanceBecomes(somebody, 0)
    },
  )
  row('Price (choice)', '402 below the flat price, or below the price of max_tokens', async () => {
    const somebody = await wire().buyer(100)
    const refuses = async (body: object, credits_required: number) => {
      const wanted = { status: 402, code: 'insufficient_credits', param: null }
      const { details } = await wire().refuses(wanted, body, somebody)
      assert.equal(details, { credits_remaining: 100, credits_required, tier: 'max' })
    }
    await refuses({ ...openAsk, max_tokens: 3_501 }, 101)
    await refuses({ ...openAsk, max_tokens: 10_500, stream: true }, 240)
    bodyOf(await chat(somebody, { ...openAsk, max_tokens: 3_500 }))
    assert.is((await wire().chain.locksOf(somebody.wallet)).length, 1, 'a refusal locks nothing')
    const { credits_remaining } = await readAccount(somebody)
    assert.ok(credits_remaining < 40)
    const wanted = { status: 402, code: 'insufficient_credits', param: null }
    const { details } = await wire().refuses(wanted, openAsk, somebody)
    assert.is(details?.credits_required, 40)
  })
}
